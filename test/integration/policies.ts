// Policies and bindings for tests, put into force through the API.

import { expect } from 'vitest';
import type { Api } from './api.ts';

export const registration = '/apis/admissionregistration.k8s.io/v1';
export const policies = `${registration}/validatingadmissionpolicies`;
export const bindings = `${registration}/validatingadmissionpolicybindings`;
export const mutatingPolicies = `${registration}/mutatingadmissionpolicies`;
export const mutatingBindings = `${registration}/mutatingadmissionpolicybindings`;

/** Rules for writes of resources, `group/resource` or `resource` of the core. */
export const matching = (...resources: readonly string[]) => ({
  resourceRules: resources.map((resource) => {
    const [group, plural] =
      resource.includes('.') || resource.startsWith('apps/') ? resource.split(/\/(.*)/) : ['', resource];
    return { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [plural] };
  }),
});

/** What is wrong with it is shown where it is refused. */
async function stored(api: Api, path: string, body: object): Promise<void> {
  const { status, body: answer } = await api.post(path, body);
  expect([status, answer.message]).toEqual([201, undefined]);
}

export async function policy(api: Api, name: string, spec: object): Promise<void> {
  const body = { metadata: { name }, spec: { matchConstraints: matching('configmaps'), ...spec } };
  await stored(api, policies, body);
}

interface Bound {
  /** The only namespace it is about; all when not given. */
  readonly namespace?: string;
  readonly spec?: object;
  readonly policyName?: string;
}

const within = (namespace: string | undefined) =>
  namespace === undefined
    ? {}
    : { matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } } };

export async function bindPolicy(
  api: Api,
  name: string,
  { namespace, spec, policyName = name }: Bound = {},
): Promise<void> {
  const body = { metadata: { name }, spec: { policyName, validationActions: ['Deny'], ...within(namespace), ...spec } };
  await stored(api, bindings, body);
}

export async function mutatingPolicy(api: Api, name: string, spec: object): Promise<void> {
  const whole = { matchConstraints: matching('configmaps'), reinvocationPolicy: 'Never', ...spec };
  await stored(api, mutatingPolicies, { metadata: { name }, spec: whole });
}

export async function bindMutatingPolicy(
  api: Api,
  name: string,
  { namespace, spec, policyName = name }: Bound = {},
): Promise<void> {
  const body = { metadata: { name }, spec: { policyName, ...within(namespace), ...spec } };
  await stored(api, mutatingBindings, body);
}
