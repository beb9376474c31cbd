// Regular expressions in schemas: each is compiled to see whether it is valid.

import { patternProblem, patternWeight } from '../../../base/text/user-pattern.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
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

/** The weight of all different patterns of a schema. */
export function patternsWeight(root: Schema): number {
  const patterns = new Set<string>();
  let weight = 0;
  schemaHas(root, ({ pattern }) => {
    if (pattern && !patterns.has(pattern)) {
      patterns.add(pattern);
      weight += patternWeight(pattern);
    }
    return false;
  });
  return weight;
}

/** The errors of all patterns; each text is compiled once. */
export function validatePatterns(root: Schema, at: string): ValidationErrors {
  const problems = new Map<string, string | undefined>();
  const errors: FieldError[] = [];
  visitSchemas({ schema: root, at }, false, ({ schema: { pattern: text }, at: place }) => {
    if (!text) return;
    if (!problems.has(text)) problems.set(text, patternProblem(text));
    const problem = problems.get(text);
    const detail = `must be a valid regular expression, but isn't: ${problem}`;
    if (problem !== undefined) errors.push(invalidValue(`${place}.pattern`, text, detail));
  });
  return errors;
}

/** All schemas. Under a junctor additional properties are left out: those are refused as such. */
function visitSchemas(here: Place, isNested: boolean, visit: (place: Place) => void): void {
  const { schema, at } = here;
  const items = itemsOf(schema);
  const additional = isNested ? undefined : additionalOf(schema);
  visit(here);
  if (items) visitSchemas({ schema: items, at: `${at}.items` }, isNested, visit);
  if (additional) visitSchemas({ schema: additional, at: `${at}.additionalProperties` }, isNested, visit);
  for (const place of propertiesOf(schema, at)) visitSchemas(place, isNested, visit);
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const place of alternatives(schema, keyword, at)) visitSchemas(place, true, visit);
  if (schema.not) visitSchemas({ schema: schema.not, at: `${at}.not` }, true, visit);
}
