// PodSecurityPolicy: what pods may do, for users and accounts with the right to use the policy. Removed in 1.25 without a
// successor: it is stored in this version, and served only to those who ask for it by name.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { textColumn } from '../../columns.ts';
import { validatePodSecurityPolicy } from './pod-security-policy-rules.ts';
import { podSecurityPolicyType } from './pod-security-policy-type.ts';

const listed = (values: readonly string[] | undefined) => (values ?? []).join(',');

export const podSecurityPolicy = defineKind(podSecurityPolicyType, {
  kind: 'PodSecurityPolicy',
  plural: 'podsecuritypolicies',
  shortNames: ['psp'],
  namespaced: false,
  verbs: allVerbs,
  storagePrefix: 'podsecuritypolicy',
  checkName: checkSubdomain,
  deprecated: {
    since: 21,
    removed: 25,
    listedReplacement: 'pod-security admission or a third-party admission webhook',
  },
  columns: [
    nameColumn,
    textColumn('Priv', 'Whether containers may be privileged.', ({ spec }) => String(spec?.privileged ?? false)),
    textColumn('Caps', 'Capabilities that may be added.', ({ spec }) => listed(spec?.allowedCapabilities)),
    textColumn('SELinux', 'Which SELinux labels are allowed.', ({ spec }) => spec?.seLinux?.rule ?? ''),
    textColumn('RunAsUser', 'Which users are allowed.', ({ spec }) => spec?.runAsUser?.rule ?? ''),
    textColumn('FsGroup', 'Which groups may own volumes.', ({ spec }) => spec?.fsGroup?.rule ?? ''),
    textColumn('SupGroup', 'Which further groups are allowed.', ({ spec }) => spec?.supplementalGroups?.rule ?? ''),
    textColumn('ReadOnlyRootFs', 'Whether the root file system must be read-only.', ({ spec }) =>
      String(spec?.readOnlyRootFilesystem ?? false),
    ),
    textColumn('Volumes', 'Types of volumes that may be used.', ({ spec }) => listed(spec?.volumes)),
  ],
  strategy: {
    defaults: (object) => ({
      ...object,
      spec: { ...object.spec, allowPrivilegeEscalation: object.spec?.allowPrivilegeEscalation ?? true },
    }),
    validateCreate: validatePodSecurityPolicy,
    validateUpdate: (next, _, context) => validatePodSecurityPolicy(next, context),
  },
});
