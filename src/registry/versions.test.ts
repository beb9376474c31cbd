// Every version that is served reads and writes the same object without loss (spec: Versioning).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { atOnce } from '../base/steps.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { release } from '../meta/release.ts';
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
const isServed = ({ deprecated }: ResourceDefinition) => (deprecated?.removed ?? release.minor + 1) > release.minor;

/** Versions that can be had beside the stored one. */
const others = all.filter((definition) => definition.conversion !== undefined && isServed(definition));

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

/** What is in order comes back whole; what never could be stored at least stays what it became. */
function expectKept(definition: ResourceDefinition, object: ApiObject, trip: (object: ApiObject) => ApiObject): void {
  const once = trip(object);
  const isInOrder = newErrors(definition, object, context).length === 0;
  if (isInOrder) expect(canonical(definition, once)).toMatchObject(canonical(definition, object));
  expect(canonical(definition, trip(once))).toEqual(canonical(definition, once));
}

const convert = (versions: KindVersions, object: ApiObject, to: ResourceDefinition) =>
  atOnce(versions.converting(object, to));

const canonical = ({ type }: ResourceDefinition, object: ApiObject) =>
  JSON.parse(JSON.stringify(decoderOf(type)(object, new DecodeContext()))) as object;

describe.each(others.map((definition) => [`${formatApiVersion(definition)} ${definition.kind}`, definition] as const))(
  '%s',
  (_, definition) => {
    const versions = versionsOf(definition);

    test('is stored and read again as it was', () => {
      fc.assert(
        fc.property(valuesOf(declaredType(definition)), (value) => {
          expectKept(definition, objectOf(definition, value), (object) =>
            convert(versions, convert(versions, object, versions.stored), definition),
          );
        }),
        fuzzRuns(30),
      );
    });

    test('loses nothing of what another version wrote', () => {
      fc.assert(
        fc.property(valuesOf(declaredType(versions.stored)), (value) => {
          expectKept(versions.stored, objectOf(versions.stored, value), (object) =>
            convert(versions, convert(versions, object, definition), versions.stored),
          );
        }),
        fuzzRuns(30),
      );
    });
  },
);
