// Paths to fields of custom resources, as definitions write them: `.spec.size`, `.spec['a.b']`.

import { additionalOf, type Schema } from '../../../schema/structural/schema.ts';

const step = /^(?:\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\])/;

/** The names on the way; undefined where the text is no path. */
export function pathSteps(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  for (let rest = path; rest !== ''; ) {
    const found = step.exec(rest);
    if (found === null) return undefined;
    steps.push(found[1] ?? (found[2] ?? '').replace(/\\(.)/g, '$1'));
    rest = rest.slice(found[0].length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The schema of what a path leads to; undefined where it leads nowhere. */
export function schemaAt(schema: Schema | undefined, steps: readonly string[]): Schema | undefined {
  return steps.reduce<Schema | undefined>(stepInto, schema);
}

function stepInto(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const { properties = {} } = schema;
  return Object.hasOwn(properties, name) ? properties[name] : additionalOf(schema);
}
