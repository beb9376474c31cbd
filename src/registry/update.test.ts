// Who writes a part of an object answers for that part only (spec: Resources and their fields, status).

import { describe, expect, test } from 'vitest';
import { systemClock } from '../base/time/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { required } from '../meta/field-errors.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { zeroRevision } from '../meta/revision.ts';
import { ApiError } from '../meta/status.ts';
import type { PartSubresource } from '../schema/part-subresource.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { create as createObject } from './create.ts';
import { Registry } from './registry.ts';
import { StoredKind } from './stored-kind.ts';
import { update } from './update.ts';
import { KindVersions } from './versions.ts';

const stored = builtInGroups(kubernetes)
  .flatMap(({ resources }) => resources)
  .filter(({ conversion }) => conversion === undefined);

const parts = stored.flatMap((definition) =>
  (definition.subresources ?? []).flatMap((part) =>
    part.is === 'part' ? [[`${definition.plural}/${part.name}`, definition, part] as const] : [],
  ),
);

/** What Kubernetes holds to all rules of the kind when a part is written. */
const heldToTheWhole = [
  'certificatesigningrequests/approval',
  'certificatesigningrequests/status',
  'pods/ephemeralcontainers',
  'pods/resize',
  'volumeattachments/status',
];

/** As if a rule had come since the object was stored that the object breaks. */
const stricter = (definition: ResourceDefinition): ResourceDefinition => ({
  ...definition,
  strategy: { ...definition.strategy, validate: () => [required('spec.later')] },
});

async function registryWith(definition: ResourceDefinition, object: ApiObject): Promise<Registry> {
  const versions = new KindVersions(kubernetes);
  versions.add(definition);
  const store = openMemoryStore();
  const options = {
    store,
    clock: systemClock,
    dialect: kubernetes,
    newUid: () => 'unused',
    expirySeconds: 3600,
    objects: () => expect.fail('nothing is allocated here'),
    onUnreadable: (key: string, why: string) => expect.fail(`${key}: ${why}`),
  };
  const registry = new Registry(definition, new StoredKind(definition.storagePrefix, versions, options), options);
  const { namespace = '', name = '' } = object.metadata;
  const value = Buffer.from(JSON.stringify(object));
  await store.commit({ key: registry.key({ namespace, name }), value, expected: zeroRevision });
  return registry;
}

function objectOf(definition: ResourceDefinition): ApiObject {
  const { kind, namespaced } = definition;
  const metadata = { name: 'a', uid: 'u', ...(namespaced ? { namespace: 'default' } : {}) };
  return { kind, apiVersion: formatApiVersion(definition), metadata };
}

/** What is found to be wrong with an object that is written as it is. */
async function validationErrors(
  definition: ResourceDefinition,
  part: PartSubresource | undefined,
): Promise<readonly string[]> {
  const object = objectOf(definition);
  const registry = await registryWith(definition, object);
  const next = (old: ApiObject | undefined) => ({ ...(old ?? object) });
  const { namespace = '', name = '' } = object.metadata;
  try {
    await update(registry, { namespace, name }, { subresource: part, next, dryRun: true });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details?.causes?.map(({ field = '' }) => field) ?? [];
  }
}

describe('an object that breaks a rule that came after it', () => {
  test.each(parts)('and a write of %s', async (name, definition, part) => {
    const found = await validationErrors(stricter(definition), part);
    if (heldToTheWhole.includes(name)) expect(found).toContain('spec.later');
    else expect(found).not.toContain('spec.later');
  });

  test('is refused when all of it is written', async () => {
    const deployments = stored.find(({ kind }) => kind === 'Deployment') as ResourceDefinition;
    expect(await validationErrors(stricter(deployments), undefined)).toContain('spec.later');
  });
});

describe('a status that is written with its object', () => {
  const marker = { conditions: [{ type: 'Marker', status: 'True' }] };
  const kinds = stored.filter(({ subresources = [] }) => subresources.some(({ name }) => name === 'status'));
  /** What is wrong with an object does not matter here. */
  const lenient = (definition: ResourceDefinition): ResourceDefinition => {
    const { defaults, prepareForCreate, prepareForUpdate } = definition.strategy ?? {};
    const { allocator: _, ...rest } = definition;
    return {
      ...rest,
      checkName: () => [],
      strategy: {
        ...(defaults ? { defaults } : {}),
        ...(prepareForCreate ? { prepareForCreate } : {}),
        ...(prepareForUpdate ? { prepareForUpdate } : {}),
      },
    };
  };
  const isMarked = ({ stored: object }: { stored: { parse(): ApiObject } }) =>
    JSON.stringify(object.parse()['status'] ?? null).includes('Marker');

  /** Kinds for which the status was taken. */
  async function taken(write: (registry: Registry, object: ApiObject) => Promise<boolean>): Promise<readonly string[]> {
    const found = kinds.map(async (kind) => {
      const definition = lenient(kind);
      const object = { ...objectOf(definition), spec: {} };
      const registry = await registryWith(definition, object);
      return (await write(registry, object)) ? [kind.plural] : [];
    });
    return (await Promise.all(found)).flat();
  }

  test('is kept from the creator, but for nodes', async () => {
    const create = async (registry: Registry, { metadata, ...object }: ApiObject) => {
      const { uid: _, ...meta } = metadata;
      const fresh = { ...object, metadata: { ...meta, name: 'b' }, status: marker };
      const user = { name: 'creator', groups: [] };
      return isMarked({ stored: await createObject(registry, fresh, { dryRun: true, user }) });
    };
    expect(await taken(create)).toEqual(['nodes']);
  });

  test('stays what it was', async () => {
    const replace = async (registry: Registry, object: ApiObject) => {
      const { namespace = '', name = '' } = object.metadata;
      const next = (old: ApiObject | undefined) => ({ ...(old ?? object), status: marker });
      return isMarked(await update(registry, { namespace, name }, { next, dryRun: true }));
    };
    expect(await taken(replace)).toEqual([]);
  });
});
