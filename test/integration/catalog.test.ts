// Every kind that is served, from a minimal manifest through all verbs. A kind without a manifest fails: none is skipped.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servedPart } from '../../src/config/runtime-config.ts';
import { builtInGroups } from '../../src/groups/catalog.ts';
import type { Server } from '../../src/index.ts';
import type { ResourceDefinition } from '../../src/schema/resource.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { dialects } from './dialects.ts';
import { manifestOf } from './manifests.ts';

/** Those that write the status of what the tests compare stay off. */
const controllers = [
  '*',
  '-apiservice-status-available-controller',
  '-customresourcedefinition-controller',
  '-disruption-controller',
  '-flowschema-status-controller',
  '-service-cidr-controller',
  '-serviceaccount-token-controller',
  '-storage-version-migrator-controller',
  '-validatingadmissionpolicy-status-controller',
];

const everything = { 'api/all': true };
const featureGates = {
  ...{ ClusterTrustBundle: true, PodCertificateRequest: true, GenericWorkload: true, StorageVersionMigrator: true },
};
const named = (resource: ResourceDefinition) =>
  [`${resource.group}/${resource.version} ${resource.kind}`, resource] as const;

function collectionOf({ group, version, plural, namespaced }: ResourceDefinition): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`;
}

describe.each(dialects)('in the %s dialect', (name, dialect) => {
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      dialect: name,
      listen: false,
      runtimeConfig: everything,
      featureGates,
      controllers,
    });
    api = apiOf(server);
  });
  afterAll(() => server.close());

  const served = builtInGroups(dialect).flatMap(
    (group) => servedPart(group, everything, featureGates)?.resources ?? [],
  );
  const stored = served.filter(({ action, verbs }) => action === undefined && verbs.includes('create'));
  const protobuf = `application/vnd.${dialect.vendor}.protobuf`;

  test('there are kinds to be tried', () => {
    expect(stored.length).toBeGreaterThan(80);
  });

  describe.each(stored.map(named))('%s', (_, resource) => {
    const collection = collectionOf(resource);
    const manifest = manifestOf(resource, dialect);
    const path = `${collection}/${manifest.metadata.name}`;

    test('goes through all its verbs', async () => {
      const created = await api.post(collection, manifest);
      expect(created.body, 'create').toMatchObject({ kind: resource.kind, metadata: { name: manifest.metadata.name } });
      expect(created.status, 'create').toBe(201);

      const got = await api.get(path);
      expect(got.body, 'get').toEqual(created.body);

      const list = await api.get(collection);
      expect(list.body.kind).toBe(`${resource.kind}List`);
      const names = list.body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
      expect(names, 'list').toContain(manifest.metadata.name);

      await expectTable();
      await expectProtobuf(got.body);

      const current = (await api.get(path)).body;
      const labels = { ...current.metadata.labels, changed: 'by-put' };
      const put = await api.put(path, { ...current, metadata: { ...current.metadata, labels } });
      expect(put.body.metadata?.labels, `update: ${put.body.message}`).toEqual(labels);

      const patched = await api.patch('merge', path, { metadata: { labels: { changed: null, more: 'by-patch' } } });
      expect(patched.body.metadata?.labels, `patch: ${patched.body.message}`).toMatchObject({ more: 'by-patch' });
      expect(patched.body.metadata.labels).not.toHaveProperty('changed');

      const deleted = await api.delete(path);
      expect([200, 202], `delete: ${deleted.body.message}`).toContain(deleted.status);
    });

    async function expectTable(): Promise<void> {
      const accept = `application/json;as=Table;v=v1;g=meta.${dialect.apiDomain}`;
      const { body } = await api.get(path, { accept });
      expect(body.kind).toBe('Table');
      expect(body.rows).toHaveLength(1);
      // rows of addresses have a cell that no column is about
      const unlisted = resource.kind === 'IPAddress' ? 1 : 0;
      expect(body.rows[0].cells).toHaveLength(body.columnDefinitions.length + unlisted);
      expect(body.columnDefinitions[0].name === 'Name' ? body.rows[0].cells[0] : manifest.metadata.name).toBe(
        manifest.metadata.name,
      );
    }

    /** Read as protobuf and written back, nothing has changed. */
    async function expectProtobuf(object: { metadata: object }): Promise<void> {
      const read = await server.fetch(path, { headers: { accept: protobuf } });
      expect(read.headers.get('content-type')).toContain(protobuf);
      const bytes = new Uint8Array(await read.arrayBuffer());
      const written = await server.fetch(path, { method: 'PUT', headers: { 'content-type': protobuf }, body: bytes });
      const answer = (await written.json()) as { message?: string };
      expect(written.status, `protobuf: ${answer.message}`).toBe(200);
      expect(answer).toEqual(object);
    }
  });
});
