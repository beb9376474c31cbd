// Faults of literals that types do not tell: found before the expression runs.

import { type Call, children, type Expression, type ListLiteral, type MapLiteral } from './ast.ts';
import { type Checked, unwrapped } from './check.ts';
import { formatCallIssues } from './check-format.ts';
import { patternOf } from './library/regex.ts';
import type { Issue } from './source.ts';
import { isTime, parseDuration, parseTimestamp } from './time.ts';
import { type CelType, formatType, sameType } from './types.ts';
import { EvaluationError, type Value } from './values.ts';

type Test = (value: Value) => boolean;

function isPattern(text: string): boolean {
  try {
    patternOf(text);
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

function isTimestamp(value: Value): boolean {
  if (typeof value === 'string') return parseTimestamp(value) !== undefined;
  return typeof value !== 'bigint' || isTime(value * 1_000_000_000n);
}

/** By the name of the function: whether a literal is a value that it takes. */
const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['timestamp', (value) => isTimestamp(value)],
  ['duration', (value) => typeof value !== 'string' || parseDuration(value) !== undefined],
  ['matches', (value) => typeof value !== 'string' || isPattern(value)],
]);

export function checkLiterals(checked: Checked): Issue[] {
  const issues: Issue[] = [];
  /** Only inside of what `format` is given may literals be of several types. */
  const ahead: { readonly part: Expression; readonly mixed: boolean }[] = [{ part: checked.expression, mixed: false }];
  for (;;) {
    const next = ahead.pop();
    if (next === undefined) return issues;
    const { part, mixed } = next;
    const here = [
      ...(part.is === 'call' ? [...literalIssues(part), ...formatCallIssues(checked, part)] : []),
      ...(!mixed && (part.is === 'list' || part.is === 'map') ? mixedIssues(checked, part) : []),
    ];
    for (const issue of here) issues.push(issue);
    const isFormat = part.is === 'call' && part.name === 'format';
    const inner = children(part);
    for (let index = inner.length - 1; index >= 0; index--)
      ahead.push({ part: inner[index] as Expression, mixed: mixed || isFormat });
  }
}

function literalIssues(call: Call): Issue[] {
  const test = tests.get(call.name);
  // a pattern follows the text when both are plain arguments
  const arg = call.name === 'matches' ? call.args.at(-1) : call.args[0];
  if (test === undefined || arg?.is !== 'literal' || test(arg.value)) return [];
  return [{ at: arg.at, message: `invalid ${call.name} argument` }];
}

function mixedIssues(checked: Checked, literal: ListLiteral | MapLiteral): Issue[] {
  if (literal.is === 'list') return unlike(checked, literal.items).slice(0, 1);
  const keys = literal.entries.map(({ key }) => ({ value: key, optional: false }));
  return [...unlike(checked, keys), ...unlike(checked, literal.entries)];
}

/** Entries whose type is not exactly that of the first: what fits it, as a `dyn` or null may, is refused too. */
function unlike(
  checked: Checked,
  entries: readonly { readonly value: Expression; readonly optional: boolean }[],
): Issue[] {
  const types = entries.map(({ value, optional }) => {
    const type = checked.types.get(value) as CelType;
    return optional ? (unwrapped(type) ?? type) : type;
  });
  const [first] = types;
  if (first === undefined) return [];
  return types.flatMap((type, index) =>
    sameType(type, first)
      ? []
      : [
          {
            at: (entries[index] as { readonly value: Expression }).value.at,
            message: `expected type '${formatType(first)}' but found '${formatType(type)}'`,
          },
        ],
  );
}
