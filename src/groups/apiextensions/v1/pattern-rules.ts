// Regular expressions in schemas: each is compiled to see whether it is one, which takes long where there are many.

import { patternProblem, patternWeight } from '../../../base/user-pattern.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import {
  additionalOf,
  alternatives,
  itemsOf,
  type Place,
  propertiesOf,
  type Schema,
  schemaHas,
} from '../../../schema/structural/schema.ts';
import type { ValidationErrors } from '../../rules.ts';

/** RE2 compiles so much in one to three milliseconds; a schema with more is looked at in turns with other work. */
const maxWeightAtOnce = 1000;

export function hasManyPatterns(root: Schema): boolean {
  const known = new Set<string>();
  let weight = 0;
  return schemaHas(root, ({ pattern }) => {
    if (!pattern || known.has(pattern)) return false;
    known.add(pattern);
    weight += patternWeight(pattern);
    return weight > maxWeightAtOnce;
  });
}

/** What is wrong with each expression, one step a schema; the same text is compiled once. */
export function* patternSteps(root: Schema, at: string): Generator<ValidationErrors> {
  const known = new Map<string, string | undefined>();
  for (const { schema, at: place } of places({ schema: root, at }, false)) {
    const { pattern: text } = schema;
    if (!text) {
      yield [];
      continue;
    }
    if (!known.has(text)) known.set(text, patternProblem(text));
    const problem = known.get(text);
    const detail = `must be a valid regular expression, but isn't: ${problem}`;
    yield problem === undefined ? [] : [invalidValue(`${place}.pattern`, text, detail)];
  }
}

/** All schemas. Under a junctor there are no additional properties: those are refused as such. */
function* places({ schema, at }: Place, isNested: boolean): Iterable<Place> {
  yield { schema, at };
  const items = itemsOf(schema);
  const additional = isNested ? undefined : additionalOf(schema);
  if (items) yield* places({ schema: items, at: `${at}.items` }, isNested);
  if (additional) yield* places({ schema: additional, at: `${at}.additionalProperties` }, isNested);
  for (const place of propertiesOf(schema, at)) yield* places(place, isNested);
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const place of alternatives(schema, keyword, at)) yield* places(place, true);
  if (schema.not) yield* places({ schema: schema.not, at: `${at}.not` }, true);
}
