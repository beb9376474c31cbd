import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonObject, stringifyJson } from '../base/json/json.ts';
import { isPromise } from '../base/maybe-promise.ts';
import { decodeObjectMessage, encodeObjectMessage } from '../codec/protobuf/object-message.ts';
import { textTranscoder } from '../codec/protobuf/text-transcoder.ts';
import { ProtobufWriter } from '../codec/protobuf/writer.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { revision } from '../meta/revision.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StructType } from '../schema/types.ts';
import { declaredType } from '../testing/declared-type.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { valuesOf } from '../testing/values-of-type.ts';
import { StoredObject } from './stored-object.ts';
import { readCanonical } from './stored-value.ts';
import { VersionView } from './version-view.ts';
import { KindVersions } from './versions.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const uid = '01234567-89ab-cdef-0123-456789abcdef';

/** Versions of each kind that has several, by the place where its objects are stored. */
const kinds = [...byPlace(builtInGroups(kubernetes).flatMap(({ resources }) => resources))].filter(
  ([, versions]) => versions.length > 1 && versions.some(isStored),
);

function byPlace(definitions: readonly ResourceDefinition[]): Map<string, ResourceDefinition[]> {
  const places = new Map<string, ResourceDefinition[]>();
  for (const definition of definitions)
    places.set(definition.storagePrefix, [...(places.get(definition.storagePrefix) ?? []), definition]);
  return places;
}

function isStored({ conversion }: ResourceDefinition): boolean {
  return conversion === undefined;
}

/** A value as an older or a newer release left it in the store. */
function storedValue(definition: ResourceDefinition, value: unknown, unknown: unknown): Buffer {
  const { metadata, ...rest } = decoderOf(declaredType(definition))(value, new DecodeContext()) as JsonObject;
  const typed = { kind: definition.kind, apiVersion: formatApiVersion(definition) };
  const { resourceVersion: _, ...kept } = (metadata ?? {}) as JsonObject;
  const named = { ...kept, name: 'a', namespace: 'b', uid };
  return Buffer.from(stringifyJson({ ...typed, metadata: named, ...rest, ofAnotherRelease: unknown } as JsonObject));
}

function encoded(type: StructType, object: ApiObject): Uint8Array {
  const out = new ProtobufWriter();
  encodeObjectMessage(type, object as never, out);
  return out.finish();
}

describe.each(kinds)('%s', (_, definitions) => {
  const versions = new KindVersions(kubernetes);
  for (const definition of definitions) versions.add(definition);
  const values = fc.tuple(...definitions.map((definition) => valuesOf(declaredType(definition))), fc.jsonValue());

  test.each(definitions.map((one) => [one.version, one] as const))(
    'a list in %s of objects stored in every version has the messages of the converted objects',
    (_, shown) => {
      const type = declaredType(shown);
      fc.assert(
        fc.property(values, (made) => {
          const stored = definitions.map((definition, index) => {
            const value = storedValue(definition, made[index], made.at(-1));
            const canonical = readCanonical(versions, value, context);
            return { value, object: canonical.object, definition: canonical.definition, canonical: canonical.value };
          });
          const objects = stored.map(({ definition, canonical }) =>
            StoredObject.of(definition, { key: '/things/b/a', value: canonical, revision: revision(7) }),
          );
          const list = new VersionView(shown, versions).ofAll(objects);
          if (isPromise(list)) throw new Error('no built-in kind is converted by another server');
          for (const [index, one] of list.entries()) {
            const converted = versions.convert((stored[index] as { object: ApiObject }).object, shown) as ApiObject;
            const expected = inDeclaredOrder(shown.type, withRevision(converted)) as ApiObject;
            const message = one.readText((text) => textTranscoder.whole(type, text)) ?? encoded(type, one.parse());
            expect(decodeObjectMessage(type, Buffer.from(message))).toEqual(
              decodeObjectMessage(type, Buffer.from(encoded(type, expected))),
            );
          }
        }),
        fuzzRuns(4),
      );
    },
  );
});

const withRevision = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: '7' },
});
