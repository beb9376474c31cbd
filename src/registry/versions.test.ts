// Every version that is served reads and writes the same object without loss (spec: Versioning).

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../base/json/json.ts';
import { systemClock } from '../base/time/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { declaredType } from '../testing/declared-type.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { newErrors } from '../testing/kind-rules.ts';
import { valuesOf } from '../testing/values-of-type.ts';
import { KindVersions } from './versions.ts';

const all = builtInGroups(kubernetes).flatMap(({ resources }) => resources);
const context = { dialect: kubernetes, clock: systemClock };

/** Versions that can be requested besides the stored one; those of an earlier release too, which can be turned on. */
const others = all.filter((definition) => definition.conversion !== undefined);

function versionsOf({ storagePrefix }: ResourceDefinition): KindVersions {
  const versions = new KindVersions(kubernetes);
  for (const definition of all) if (definition.storagePrefix === storagePrefix) versions.add(definition);
  return versions;
}

/** As a client may send it, with a name and with its defaults. */
function objectOf({ type, kind, strategy, ...gv }: ResourceDefinition, value: unknown): ApiObject {
  const fields = decoderOf(type)(value, new DecodeContext()) as JsonObject;
  const object = { ...fields, kind, apiVersion: formatApiVersion(gv), metadata: { name: 'a' } } as ApiObject;
  return strategy?.defaults?.(object, context) ?? object;
}

const nameOf = (definition: ResourceDefinition) => `${formatApiVersion(definition)} ${definition.kind}`;

/** Versions that cannot express some invalid objects of the other version. */
const losingInvalid: ReadonlySet<string> = new Set([
  ...['autoscaling/v1 HorizontalPodAutoscaler', 'autoscaling/v2beta1 HorizontalPodAutoscaler'],
  ...['extensions/v1beta1 Ingress', 'networking.k8s.io/v1beta1 Ingress'],
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition',
]);

/** The object is the same after a round trip; an invalid one may change in the versions above, and only once. */
function expectKept(
  definition: ResourceDefinition,
  object: ApiObject,
  mayLoseInvalid: boolean,
  trip: (object: ApiObject) => ApiObject,
): void {
  const once = trip(object);
  const isKept = !mayLoseInvalid || newErrors(definition, object, context).length === 0;
  if (isKept) expect(canonical(definition, once)).toMatchObject(canonical(definition, object));
  expect(canonical(definition, trip(once))).toEqual(canonical(definition, once));
}

const convert = (versions: KindVersions, object: ApiObject, to: ResourceDefinition) =>
  versions.convert(object, to) as ApiObject;

const canonical = ({ type }: ResourceDefinition, object: ApiObject) =>
  JSON.parse(JSON.stringify(decoderOf(type)(object, new DecodeContext()))) as object;

test('versions of earlier releases are among them', () => {
  const names = others.map(nameOf);
  expect(names.length).toBeGreaterThan(70);
});

describe.each(others.map((definition) => [nameOf(definition), definition] as const))('%s', (name, definition) => {
  const versions = versionsOf(definition);
  const mayLose = losingInvalid.has(name);

  test('is stored and read again as it was', () => {
    fc.assert(
      fc.property(valuesOf(declaredType(definition)), (value) => {
        expectKept(definition, objectOf(definition, value), mayLose, (object) =>
          convert(versions, convert(versions, object, versions.stored), definition),
        );
      }),
      fuzzRuns(30),
    );
  });

  test('loses nothing of what another version wrote', () => {
    fc.assert(
      fc.property(valuesOf(declaredType(versions.stored)), (value) => {
        expectKept(versions.stored, objectOf(versions.stored, value), mayLose, (object) =>
          convert(versions, convert(versions, object, definition), versions.stored),
        );
      }),
      fuzzRuns(30),
    );
  });
});

test('a version that is replaced counts as changed for as long as older requests may write', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const [definition] = others as [ResourceDefinition];
    const versions = versionsOf(definition);
    expect(versions.haveChanged).toBe(false);
    versions.add(versions.stored);
    expect(versions.haveChanged).toBe(false);
    versions.add({ ...versions.stored });
    expect(versions.haveChanged).toBe(true);
    vi.advanceTimersByTime(120_000);
    expect(versions.haveChanged).toBe(false);
    versions.remove(versions.stored);
    expect(versions.haveChanged).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
