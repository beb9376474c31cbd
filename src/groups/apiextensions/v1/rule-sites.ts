// Where the rules of a schema stand: the types their expressions see, and how often they run for one object.

import { hasRules, rulesOf } from '../../../cel/rules/compile-rules.ts';
import { type DeclaredType, declareSchema } from '../../../cel/structural-types.ts';
import {
  additionalOf,
  isEmbedded,
  itemsOf,
  listTypeOf,
  propertiesOf,
  type Schema,
} from '../../../schema/structural/schema.ts';

/** A schema with its own rules. */
export interface RuleSite {
  readonly schema: Schema;
  readonly at: string;
  /** Undefined where expressions cannot see the value. */
  readonly declared: DeclaredType | undefined;
  /** The most values that it describes in one object; undefined where the schemas around it set no limit. */
  readonly cardinality: number | undefined;
  /** The list in which old and new values cannot be told to be the same, if there is one. */
  readonly uncorrelated: string | undefined;
}

/** What is known on the way down. */
interface Around extends Omit<RuleSite, 'schema' | 'at'> {
  /** Rules here or further up see the value: it has a type. */
  readonly isSeen: boolean;
}

/** What stands inside comes first. Schemas with faults are left out, as nothing can be said of them. */
export function ruleSites(root: Schema, at: string, faulty: ReadonlySet<Schema>): readonly RuleSite[] {
  const sites: RuleSite[] = [];
  const visit = (schema: Schema, place: string, around: Around): void => {
    for (const inner of innerPlaces(schema, place, around)) {
      if (hasRules(inner.schema)) visit(inner.schema, inner.at, inner.around());
    }
    if (rulesOf(schema).length > 0 && !faulty.has(schema)) sites.push({ ...around, schema, at: place });
  };
  const isSeen = rulesOf(root).length > 0;
  const declared = isSeen ? declareSchema(root, true) : undefined;
  visit(root, at, { isSeen, declared, cardinality: 1, uncorrelated: undefined });
  return sites;
}

interface InnerPlace {
  readonly schema: Schema;
  readonly at: string;
  around(): Around;
}

function innerPlaces(schema: Schema, at: string, around: Around): readonly InnerPlace[] {
  const additional = additionalOf(schema);
  const items = itemsOf(schema);
  const { declared } = around;
  const inner = { ...around, cardinality: product(around.cardinality, countOf(schema)) };
  // of lists, only those that are maps tell which item was which before
  const inList = listTypeOf(schema) === 'map' ? inner : { ...inner, uncorrelated: around.uncorrelated ?? at };
  return [
    ...(additional
      ? [place(additional, `${at}.additionalProperties`, (one) => typed(one, inner, declared?.element))]
      : []),
    ...propertiesOf(schema, at).map((one) =>
      place(one.schema, one.at, (own) => typed(own, inner, declared?.properties?.get(one.name))),
    ),
    ...(items ? [place(items, `${at}.items`, (one) => typed(one, inList, declared?.element))] : []),
  ];
}

const place = (schema: Schema, at: string, around: (schema: Schema) => Around): InnerPlace => ({
  schema,
  at,
  around: () => around(schema),
});

/** The type of a schema is a part of the type around it, where there is one. */
function typed(schema: Schema, around: Around, part: DeclaredType | undefined): Around {
  const isSeen = around.isSeen || rulesOf(schema).length > 0;
  const isHidden = !isSeen || (around.isSeen && around.declared === undefined);
  return { ...around, isSeen, declared: isHidden ? undefined : (part ?? declareSchema(schema, isEmbedded(schema))) };
}

/** How many values there are in one of a schema; undefined without a limit. */
function countOf({ type, additionalProperties, maxItems, maxProperties }: Schema): number | undefined {
  const limit = (given: number | undefined) => (given === undefined ? undefined : Math.max(0, Number(given)));
  if (type === 'array') return limit(maxItems);
  return type === 'object' && additionalProperties !== undefined ? limit(maxProperties) : 1;
}

const product = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a * b;
