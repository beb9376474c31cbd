// Every built-in group-version, in the order of discovery.

import { type Dialect, groupName } from '../meta/dialect.ts';
import type { GroupVersion } from '../meta/group-version.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import { admissionregistrationV1 } from './admissionregistration/v1/group.ts';
import { admissionregistrationV1alpha1 } from './admissionregistration/v1alpha1/group.ts';
import { admissionregistrationV1beta1 } from './admissionregistration/v1beta1/group.ts';
import { apiextensionsV1 } from './apiextensions/v1/group.ts';
import { apiextensionsV1beta1 } from './apiextensions/v1beta1/group.ts';
import { apiregistrationV1 } from './apiregistration/v1/group.ts';
import { apiregistrationV1beta1, apiregistrationWithoutDomain } from './apiregistration/v1beta1/group.ts';
import { apiserverinternalV1alpha1 } from './apiserverinternal/v1alpha1/group.ts';
import { appsV1 } from './apps/v1/group.ts';
import { appsV1beta1 } from './apps/v1beta1/group.ts';
import { appsV1beta2 } from './apps/v1beta2/group.ts';
import { authenticationV1 } from './authentication/v1/group.ts';
import { authenticationV1beta1 } from './authentication/v1beta1/group.ts';
import { authorizationV1 } from './authorization/v1/group.ts';
import { authorizationV1beta1 } from './authorization/v1beta1/group.ts';
import { autoscalingV1 } from './autoscaling/v1/group.ts';
import { autoscalingV2 } from './autoscaling/v2/group.ts';
import { autoscalingV2beta1 } from './autoscaling/v2beta1/group.ts';
import { autoscalingV2beta2 } from './autoscaling/v2beta2/group.ts';
import { batchV1 } from './batch/v1/group.ts';
import { batchV1beta1 } from './batch/v1beta1/group.ts';
import { certificatesV1 } from './certificates/v1/group.ts';
import { certificatesV1alpha1 } from './certificates/v1alpha1/group.ts';
import { certificatesV1beta1 } from './certificates/v1beta1/group.ts';
import { coordinationV1 } from './coordination/v1/group.ts';
import { coordinationV1alpha2 } from './coordination/v1alpha2/group.ts';
import { coordinationV1beta1 } from './coordination/v1beta1/group.ts';
import { coreV1 } from './core/v1/group.ts';
import { discoveryV1 } from './discovery/v1/group.ts';
import { discoveryV1beta1 } from './discovery/v1beta1/group.ts';
import { eventsV1 } from './events/v1/group.ts';
import { eventsV1beta1 } from './events/v1beta1/group.ts';
import { extensionsV1beta1 } from './extensions/v1beta1/group.ts';
import { flowcontrolV1 } from './flowcontrol/v1/group.ts';
import { flowcontrolV1beta1 } from './flowcontrol/v1beta1/group.ts';
import { flowcontrolV1beta2 } from './flowcontrol/v1beta2/group.ts';
import { flowcontrolV1beta3 } from './flowcontrol/v1beta3/group.ts';
import { defineGroupVersion, type GroupVersionSpec, groupOf } from './group-version.ts';
import { networkingV1 } from './networking/v1/group.ts';
import { networkingV1beta1 } from './networking/v1beta1/group.ts';
import { nodeV1 } from './node/v1/group.ts';
import { nodeV1beta1 } from './node/v1beta1/group.ts';
import { policyV1 } from './policy/v1/group.ts';
import { policyV1beta1 } from './policy/v1beta1/group.ts';
import { rbacV1 } from './rbac/v1/group.ts';
import { rbacV1beta1 } from './rbac/v1beta1/group.ts';
import { resourceV1 } from './resource/v1/group.ts';
import { resourceV1alpha3 } from './resource/v1alpha3/group.ts';
import { resourceV1beta1 } from './resource/v1beta1/group.ts';
import { resourceV1beta2 } from './resource/v1beta2/group.ts';
import { schedulingV1 } from './scheduling/v1/group.ts';
import { schedulingV1alpha2 } from './scheduling/v1alpha2/group.ts';
import { schedulingV1beta1 } from './scheduling/v1beta1/group.ts';
import { withSchemes } from './schemes.ts';
import { storageV1 } from './storage/v1/group.ts';
import { storageV1beta1 } from './storage/v1beta1/group.ts';
import { storagemigrationV1beta1 } from './storagemigration/v1beta1/group.ts';

const groupVersions: readonly GroupVersionSpec[] = [
  apiregistrationV1,
  apiregistrationV1beta1,
  coreV1,
  extensionsV1beta1,
  appsV1,
  appsV1beta2,
  appsV1beta1,
  eventsV1,
  eventsV1beta1,
  authenticationV1,
  authenticationV1beta1,
  authorizationV1,
  authorizationV1beta1,
  autoscalingV2,
  autoscalingV1,
  autoscalingV2beta2,
  autoscalingV2beta1,
  batchV1,
  batchV1beta1,
  certificatesV1,
  certificatesV1beta1,
  certificatesV1alpha1,
  networkingV1,
  networkingV1beta1,
  policyV1,
  policyV1beta1,
  rbacV1,
  rbacV1beta1,
  storageV1,
  storageV1beta1,
  admissionregistrationV1,
  apiextensionsV1,
  admissionregistrationV1beta1,
  admissionregistrationV1alpha1,
  apiextensionsV1beta1,
  schedulingV1,
  schedulingV1alpha2,
  schedulingV1beta1,
  coordinationV1,
  coordinationV1beta1,
  coordinationV1alpha2,
  nodeV1,
  nodeV1beta1,
  resourceV1,
  discoveryV1,
  resourceV1beta2,
  discoveryV1beta1,
  resourceV1beta1,
  resourceV1alpha3,
  flowcontrolV1,
  flowcontrolV1beta3,
  flowcontrolV1beta2,
  flowcontrolV1beta1,
  apiserverinternalV1alpha1,
  storagemigrationV1beta1,
];

/** Group-versions that only the specification's table of removed versions has. */
const listedVersions: readonly GroupVersionSpec[] = [apiregistrationWithoutDomain];

const specsIn = ({ rules }: Dialect): readonly GroupVersionSpec[] =>
  rules.removedVersions === 'asListed' ? [...groupVersions, ...listedVersions] : groupVersions;

export function builtInGroups(dialect: Dialect): readonly GroupVersionDefinition[] {
  const groups = specsIn(dialect).map((spec) => defineGroupVersion(spec, dialect));
  return withSchemes(groups, dialect);
}

/** Known by name although they have no resources: what webhooks are sent, and versions that are long gone. */
const withoutResources: readonly GroupVersion[] = [
  { group: 'admission', version: 'v1' },
  { group: 'admission', version: 'v1beta1' },
  { group: 'authentication', version: 'v1alpha1' },
  { group: 'imagepolicy', version: 'v1alpha1' },
  { group: 'node', version: 'v1alpha1' },
  { group: 'rbac.authorization', version: 'v1alpha1' },
  { group: 'storage', version: 'v1alpha1' },
];

/** Every group-version there is, in order of names: kinds that belong to all of them are of each. */
export function knownGroupVersions(dialect: Dialect): readonly GroupVersion[] {
  const served = specsIn(dialect).map((spec) => ({ group: groupOf(spec, dialect), version: spec.version }));
  const others = withoutResources.map(({ group, version }) => ({ group: groupName(dialect, group), version }));
  const named = [...served, ...others];
  const before = (a: string, b: string) => (a < b ? -1 : 1);
  return named.sort((a, b) => (a.group === b.group ? before(a.version, b.version) : before(a.group, b.group)));
}
