// Built-in types turned into the schemas of custom resources: what a schema says is read as what a type declares is.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { deployment } from '../../groups/apps/v1/deployment.ts';
import { horizontalPodAutoscaler } from '../../groups/autoscaling/v2/horizontal-pod-autoscaler.ts';
import { configMap } from '../../groups/core/v1/config-map.ts';
import { container } from '../../groups/core/v1/pod/container.ts';
import { replicationController } from '../../groups/core/v1/replication-controller.ts';
import { secret } from '../../groups/core/v1/secret.ts';
import { service } from '../../groups/core/v1/service/service.ts';
import { volume } from '../../groups/core/v1/volume/volume.ts';
import { ingress } from '../../groups/networking/v1/ingress.ts';
import { deviceToleration } from '../../groups/resource/v1/device-claim.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { applyDefaults } from '../../schema/structural/default.ts';
import { DefaultsBudget } from '../../schema/structural/defaults-budget.ts';
import { prune } from '../../schema/structural/prune.ts';
import { marks } from '../../schema/structural/schema.ts';
import { validateValue } from '../../schema/structural/validate.ts';
import type { Field, SchemaType, StructType } from '../../schema/types.ts';
import { unknownFields } from '../../schema/unknown-fields.ts';
import { declaredType } from '../../testing/declared-type.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { structuralTypeOf } from '../../testing/schema-of-type.ts';
import { valuesOf } from '../../testing/values-of-type.ts';
import { TypeMismatch } from '../../wording/type-mismatch.ts';
import { compare } from './compare.ts';
import { fieldsOf } from './fields-of.ts';
import { objectTopology } from './object-topology.ts';

const kinds = [configMap, secret, service, ingress, horizontalPodAutoscaler, deployment].map((kind) => {
  const declared = declaredType(kind);
  const structural = structuralTypeOf(declared);
  return { name: declared.name, declared, structural, values: valuesOf(declared) as fc.Arbitrary<object> };
});
const both = ({ declared, structural }: (typeof kinds)[number]): readonly [ObjectType, ObjectType] => [
  declared,
  structural,
];

/** What it gives, or that it fails. */
function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return `fails: ${(error as Error).constructor.name}`;
  }
}

/** Some members of a value, at any depth, by a walk that `choices` decide. */
function changed(value: unknown, choices: readonly number[], change: (holder: object) => void): unknown {
  const copy = structuredClone(value);
  let at: unknown = copy;
  for (const choice of choices) {
    if (isJsonObject(at)) change(at);
    const inside = Object.values((at ?? {}) as object).filter(
      (member) => typeof member === 'object' && member !== null,
    );
    if (inside.length === 0) break;
    at = inside[choice % inside.length];
  }
  return copy;
}

/** The same values in every run. */
const runs = (usual: number) => ({ ...fuzzRuns(usual), seed: 18 });

const choices = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
const known = new Set(['kind', 'apiVersion']);

describe.each(kinds)('$name as a schema', (kind) => {
  const [declared, structural] = both(kind);

  test('gives every value the same fields to own, and every change the same', () => {
    const topologies = [declared, structural].map((type) => objectTopology(type, ['status']));
    fc.assert(
      fc.property(kind.values, kind.values, (before, after) => {
        const [fields, same] = topologies.map((topology) => outcome(() => fieldsOf(topology, before)));
        expect(same).toEqual(fields);
        const [delta, equal] = topologies.map((topology) => outcome(() => compare(topology, before, after)));
        expect(equal).toEqual(delta);
      }),
      runs(15),
    );
  });

  test('knows the same fields', () => {
    fc.assert(
      fc.property(kind.values, choices, (value, walk) => {
        const odd = changed(value, walk, (holder) => setOwn(holder as Record<string, JsonValue>, 'unheardOf', 1));
        const [declaredPaths, structuralPaths] = [declared, structural].map((type) => [
          ...unknownFields(type, odd, known),
        ]);
        expect(structuralPaths?.sort()).toEqual(declaredPaths?.sort());
      }),
      runs(15),
    );
  });

  test('takes the same away', () => {
    const decode = (value: unknown) => outcome(() => decoderOf(declared as never)(value, new DecodeContext()));
    const schema = { ...kind.structural.schema, [marks.embedded]: true };
    const pruned = (value: unknown) => prune(value as JsonValue, schema);
    fc.assert(
      fc.property(kind.values, choices, (value, walk) => {
        const content = { ...value, metadata: {} };
        const odd = changed(content, walk, (holder) => setOwn(holder as Record<string, JsonValue>, 'unheardOf', 'x'));
        const left = pruned({ ...(odd as object), metadata: {} });
        expect([...unknownFields(declared, left, known)]).toEqual([]);
        expect(decode(left)).toEqual(decode({ ...(odd as object), metadata: {} }));
        expect(pruned(content)).toBe(content);
      }),
      runs(15),
    );
  });

  test('refuses the same types', () => {
    const { schema = {} } = kind.structural;
    const wrong = fc.constantFrom<JsonValue>([{ a: 1 }], { a: { b: [] } }, [[]]);
    fc.assert(
      fc.property(kind.values, choices, wrong, (value, walk, other) => {
        const { metadata: _, ...content } = changed(value, walk, (holder) =>
          replaceOne(holder, walk, other),
        ) as object & {
          metadata?: unknown;
        };
        const isRefused = outcome(() => decoderOf(declared as never)(content, new DecodeContext()));
        const found = validateValue(content as JsonValue, schema);
        expect(found.length > 0).toBe(isRefused === `fails: ${TypeMismatch.name}`);
      }),
      runs(25),
    );
  });
});

/** The same type, whose fields are left as they are given. */
function withoutDefaults(type: StructType, made = new Map<StructType, StructType>()): StructType {
  const bare = (of: SchemaType): SchemaType => {
    if (of.is === 'struct') return withoutDefaults(of, made);
    return of.is === 'list' || of.is === 'map' ? { ...of, of: bare(of.of) } : of;
  };
  const known = made.get(type);
  if (known !== undefined) return known;
  const fields: Field[] = [];
  const result = { ...type, fields };
  made.set(type, result);
  for (const { default: _, ...field } of type.fields) fields.push({ ...field, type: bare(field.type) });
  return result;
}

const withDefaults = [declaredType(secret), declaredType(service), declaredType(replicationController)];
const deeper = [container, volume, deviceToleration] as readonly SchemaType[] as readonly StructType[];

test.each([...withDefaults, ...deeper])('$name as a schema fills in the same defaults', (type) => {
  const { schema = {} } = structuralTypeOf(type);
  const decode = decoderOf(type);
  const decodeBare = decoderOf(withoutDefaults(type));
  let filled = 0;
  fc.assert(
    fc.property(valuesOf(type), (value) => {
      // in this form nothing is there that means the same as if it were not
      const bare = decodeBare(value, new DecodeContext()) as JsonValue;
      const complete = applyDefaults(bare, schema, new DefaultsBudget());
      if (complete !== bare) filled++;
      expect(decodeBare(complete, new DecodeContext())).toEqual(decode(value, new DecodeContext()));
      expect(applyDefaults(complete, schema, new DefaultsBudget())).toBe(complete);
    }),
    runs(40),
  );
  expect(filled).toBeGreaterThan(0);
});

/** One member of another type than it had. */
function replaceOne(holder: object, [choice = 0]: readonly number[], other: JsonValue): void {
  const names = Object.keys(holder);
  const name = names[choice % names.length];
  if (name !== undefined && choice % 3 === 0) setOwn(holder as Record<string, JsonValue>, name, structuredClone(other));
}
