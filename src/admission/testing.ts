// Requests and stored objects for tests of plugins.

import type { GroupVersionResource } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { AdmissionEngines } from './engines.ts';
import type { Lookup } from './lookup.ts';
import { type AdmissionRequest, Rounds } from './plugin.ts';

/** The gates as they are where none is given. */
export const defaultGates: AdmissionEngines['gates'] = {
  AllowInsecureKubeletCertificateSigningRequests: false,
  GenericWorkload: false,
  ManifestBasedAdmissionControlConfig: false,
  MutatingAdmissionPolicy: true,
  NodeDeclaredFeatures: true,
  PodTopologyLabelsAdmission: true,
  ServiceAccountNodeAudienceRestriction: true,
  WorkloadAwarePreemption: false,
  WorkloadWithJob: false,
};

interface TestRequest extends AdmissionRequest {
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** A create by a user without groups, unless `parts` say otherwise. */
export function requestFor(
  parts: Partial<AdmissionRequest> & { readonly definition: ResourceDefinition },
): TestRequest {
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const { object } = parts;
  const rounds = parts.rounds ?? new Rounds();
  return {
    operation: 'CREATE',
    verb: 'create',
    subresource: '',
    namespace: object?.metadata.namespace ?? '',
    name: object?.metadata.name ?? '',
    object,
    oldObject: undefined,
    kind: parts.definition,
    options: undefined,
    deadline: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    rounds,
    user: { name: 'author', groups: [] },
    dryRun: false,
    withObject: (next) => requestFor({ rounds, ...parts, object: next }),
    warn: (text) => void warnings.push(text),
    annotate(key, value) {
      annotations[key] = value;
    },
    warnings,
    annotations,
    ...parts,
  };
}

/** Objects as if they were stored, by the plural of their kind. */
export function lookupOf(stored: Readonly<Record<string, readonly ApiObject[]>>): Lookup {
  const list = ({ resource }: GroupVersionResource, namespace: string) =>
    (stored[resource] ?? []).filter(({ metadata }) => namespace === '' || metadata.namespace === namespace);
  const get = (resource: GroupVersionResource, { namespace, name }: ObjectRef) =>
    list(resource, namespace).find(({ metadata }) => metadata.name === name);
  const each = (resource: GroupVersionResource, namespace: string) =>
    list(resource, namespace).map((object) => () => object);
  return { list, each, get, appears: async (resource, ref) => get(resource, ref) };
}
