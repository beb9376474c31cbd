// Values of any type, for property tests.

import fc from 'fast-check';
import { formatTime } from '../meta/time.ts';
import type { ScalarName, SchemaType } from '../schema/types.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 }).map((s) => formatTime(s * 1000));

const scalars: Readonly<Record<ScalarName, fc.Arbitrary<unknown>>> = {
  string: text,
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  bool: fc.boolean(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  bytes: fc.uint8Array({ maxLength: 12 }).map((content) => Buffer.from(content).toString('base64')),
  'date-time': seconds,
  'micro-time': fc
    .tuple(seconds, fc.nat(999_999))
    .map(([time, micros]) => `${time.slice(0, 19)}.${String(micros).padStart(6, '0')}Z`),
  quantity: fc.tuple(fc.integer(), fc.constantFrom('', 'm', 'k', 'Mi', 'Gi')).map(([n, unit]) => `${n}${unit}`),
  'int-or-string': fc.oneof(fc.integer(), text),
  'raw-extension': fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
  'any-json': fc.jsonValue().filter((value) => value !== null),
  'fields-v1': fc.dictionary(text, fc.constantFrom({}, { 'f:a': {} }), { maxKeys: 3 }),
};

/** Values of a type as a client may send them; any field may be missing. */
export function valuesOf(type: SchemaType, depth = 0): fc.Arbitrary<unknown> {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list':
      // protobuf does not know an empty list or map from none
      return fc.array(valuesOf(type.of, depth + 1), { minLength: 1, maxLength: 2 });
    case 'map':
      return fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor')), valuesOf(type.of, depth + 1), {
        minKeys: 1,
        maxKeys: 2,
      });
    case 'union':
      return depth > 4 ? fc.constant({}) : fc.oneof(...type.alternatives.map((one) => valuesOf(one.type, depth + 1)));
    case 'struct':
      // types may contain themselves
      return depth > 4
        ? fc.constant({})
        : fc.record(Object.fromEntries(type.fields.map((f) => [f.name, valuesOf(f.type, depth + 1)])), {
            requiredKeys: [],
          });
  }
}
