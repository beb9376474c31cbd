// Calls of `format` whose text and arguments are literals: what would fail in every run is found before the first.

import type { Call, Expression } from './ast.ts';
import type { Checked } from './check.ts';
import { type Clause, interpolate, typeFaults } from './library/string-template.ts';
import type { Issue } from './source.ts';
import { type CelType, runtimeName } from './types.ts';
import { EvaluationError } from './values.ts';

type Kind = CelType['is'];

const texts: readonly Kind[] = [
  ...(['list', 'map', 'int', 'uint', 'double', 'bool', 'string'] as const),
  ...(['timestamp', 'bytes', 'duration', 'type', 'null'] as const),
];

/** What each clause takes; a text may be the name of a double that has no digits. */
const kinds: Readonly<Record<Clause, readonly Kind[]>> = {
  s: texts,
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  o: ['int', 'uint'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
};

export function formatCallIssues(checked: Checked, call: Call): Issue[] {
  const [args] = call.args;
  const isFormat = call.name === 'format' && call.target?.is === 'literal' && call.args.length === 1;
  if (!isFormat || args?.is !== 'list' || typeof call.target.value !== 'string') return [];
  const values = args.items.map((item) => item.value);
  return templateIssues(checked, { at: call.at, template: call.target.value, values });
}

interface FormatCall {
  readonly at: number;
  readonly template: string;
  readonly values: readonly Expression[];
}

function templateIssues(checked: Checked, { at, template, values }: FormatCall): Issue[] {
  let faulty: Expression | undefined;
  let used = 0;
  const write = (clause: Clause, index: number): string => {
    used = index + 1;
    faulty = unsuited(checked, clause, values[index] as Expression);
    if (faulty === undefined) return '';
    const name = runtimeName(checked.types.get(faulty) as CelType);
    throw new EvaluationError(`error during formatting: ${typeFaults[clause](name)}`);
  };
  try {
    interpolate(template, { count: values.length, write });
  } catch (error) {
    if (error instanceof EvaluationError) return [{ at: faulty?.at ?? at, message: error.message }];
    throw error;
  }
  const surplus = `too many arguments supplied to string.format (expected ${used}, got ${values.length})`;
  return values.length > used ? [{ at, message: surplus }] : [];
}

/** The part of the argument that the clause does not take; literals are looked into. */
function unsuited(checked: Checked, clause: Clause, value: Expression): Expression | undefined {
  const { is } = checked.types.get(value) as CelType;
  if (is !== 'dyn' && !kinds[clause].includes(is)) return value;
  const inner = clause === 's' ? literalParts(value) : [];
  for (const part of inner) {
    const mismatch = unsuited(checked, clause, part);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function literalParts(value: Expression): readonly Expression[] {
  if (value.is === 'list') return value.items.map((item) => item.value);
  return value.is === 'map' ? value.entries.flatMap((entry) => [entry.key, entry.value]) : [];
}
