// The smallest object that each removed version takes, created and replaced through it, in both dialects.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInGroups } from '../../src/groups/catalog.ts';
import type { Server } from '../../src/index.ts';
import type { ResourceDefinition } from '../../src/schema/resource.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { dialects } from './dialects.ts';
import { manifestOf } from './manifests.ts';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
/** Until apps/v1beta2 the labels of the template were the selector. */
const unselected = { spec: { template } };
const any = { rule: 'RunAsAny' };
const hooks = { webhooks: [{ name: 'a.example.com', clientConfig: { url: 'https://example.com/hook' } }] };
const backend = { spec: { backend: { serviceName: 's', servicePort: 80 } } };

/** Versions that Kubernetes 1.36 does not have any more. */
const ownMinor = 36;

/** By kind and version, without domains: what is less, or has another shape, than the least that today's version takes. */
const smallest: Readonly<Record<string, object>> = {
  'Deployment extensions/v1beta1': unselected,
  'DaemonSet extensions/v1beta1': unselected,
  'ReplicaSet extensions/v1beta1': unselected,
  'Deployment apps/v1beta1': unselected,
  'StatefulSet apps/v1beta1': unselected,
  'ReplicaSet apps/v1beta1': unselected,
  'Ingress extensions/v1beta1': backend,
  'Ingress networking/v1beta1': backend,
  'PodSecurityPolicy extensions/v1beta1': {
    spec: { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any },
  },
  'PodSecurityPolicy policy/v1beta1': {
    spec: { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any },
  },
  'MutatingWebhookConfiguration admissionregistration/v1beta1': hooks,
  'ValidatingWebhookConfiguration admissionregistration/v1beta1': hooks,
  'CustomResourceDefinition apiextensions/v1beta1': {
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', version: 'v1', names: { plural: 'things', kind: 'Thing' } },
  },
  'PodDisruptionBudget policy/v1beta1': {},
  'EndpointSlice discovery/v1beta1': { addressType: 'IPv4', endpoints: [] },
};

describe.each(dialects)('in the %s dialect', (dialect, names) => {
  const definitions = builtInGroups(names).flatMap(({ resources }) => resources);
  const removed = definitions.filter(
    ({ deprecated, verbs, group }) =>
      (deprecated?.removed ?? Infinity) <= ownMinor && verbs.includes('list') && group !== '',
  );
  const storedOf = ({ storagePrefix }: ResourceDefinition) =>
    definitions.find((one) => one.storagePrefix === storagePrefix && !one.conversion) as ResourceDefinition;
  const versionOf = ({ group, version }: ResourceDefinition) => (group === '' ? version : `${group}/${version}`);
  const pathTo = (one: ResourceDefinition) =>
    `${one.group === '' ? '/api' : '/apis'}/${versionOf(one)}${one.namespaced ? '/namespaces/default' : ''}/${one.plural}`;
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    const runtimeConfig = Object.fromEntries(removed.map((one) => [`${versionOf(one)}/${one.plural}`, true]));
    server = await startTestServer({ listen: false, dialect, controllers: [], runtimeConfig });
    api = apiOf(server);
  });
  afterAll(() => server.close());

  test.each(removed.map((old) => [old.kind, versionOf(old), old] as const))(
    'the smallest %s of %s is created and replaced',
    async (kind, apiVersion, old) => {
      const current = storedOf(old);
      const body = smallest[`${kind} ${apiVersion.replace(`.${names.apiDomain}`, '')}`];
      const own = body === undefined ? manifestOf(current, names) : { metadata: { name: 'smallest' }, ...body };
      const object = { ...own, kind, apiVersion };
      const made = await api.post(pathTo(old), object);
      expect([made.status, made.body.message]).toEqual([201, undefined]);
      const { name, resourceVersion } = made.body.metadata;
      const shown = await api.get(`${pathTo(current)}/${name}`);
      expect([shown.status, shown.body.metadata?.uid]).toEqual([200, made.body.metadata.uid]);
      const replaced = await api.put(`${pathTo(old)}/${name}`, {
        ...object,
        metadata: { ...object.metadata, resourceVersion },
      });
      expect([replaced.status, replaced.body.message]).toEqual([200, undefined]);
      expect((await api.delete(`${pathTo(old)}/${name}`)).status).toBe(200);
    },
  );
});
