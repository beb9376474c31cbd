// A case of the official conformance suite, and a check that the engine passes it.

import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { checkTypes } from '../check.ts';
import { Program } from '../compile.ts';
import { type Overload, plain } from '../declarations.ts';
import { Environment } from '../environment.ts';
import { parse } from '../parser.ts';
import { plan } from '../plan.ts';
import { ConstantFault } from '../plan-call.ts';
import { formatIssues, SyntaxIssues } from '../source.ts';
import { type CelType, dyn, formatType, int, record } from '../types.ts';
import { extendedLibraries } from './extended-libraries.ts';
import { canonical, readType, readValue, Unsupported } from './official-values.ts';

export interface OfficialCase {
  readonly file: string;
  readonly section: string;
  readonly name: string;
  readonly source: JsonObject & { readonly expr: string };
}

export const officialCases: readonly OfficialCase[] = (tests.suites ?? []).flatMap(({ name: file, suites = [] }) =>
  suites.flatMap(({ name: section, tests: cases = [] }) =>
    cases.map(({ original }) => ({
      file,
      section,
      name: original.name ?? original.expr,
      source: original as OfficialCase['source'],
    })),
  ),
);

type Result = { readonly type: CelType; readonly run: () => { value: string } | { error: string } };

/** The difference between the engine and the case, or undefined. */
export function faultOf({ source }: OfficialCase): string | undefined {
  try {
    const prepared = prepare(source);
    if (typeof prepared !== 'string') return compareOutcome(source, prepared);
    // without a check an unknown name fails when it is met; the engine always checks and fails before
    return 'evalError' in source && source['disableCheck'] === true ? undefined : prepared;
  } catch (error) {
    if (error instanceof Unsupported) return error.message;
    throw error;
  }
}

function compareOutcome(source: OfficialCase['source'], { type, run }: Result): string | undefined {
  const typed = source['typedResult'] as JsonObject | undefined;
  const deduced = typed === undefined ? undefined : formatType(readType(typed['deducedType'] as JsonValue));
  if (deduced !== undefined && deduced !== formatType(type)) return `type ${formatType(type)} instead of ${deduced}`;
  if (source['checkOnly'] === true) return undefined;
  const outcome = run();
  if ('evalError' in source) return 'error' in outcome ? undefined : `${outcome.value} instead of an error`;
  const expected = canonical(readValue((typed?.['result'] ?? source['value'] ?? { boolValue: true }) as JsonValue));
  const actual = 'error' in outcome ? outcome.error : outcome.value;
  return actual === expected ? undefined : `${actual} instead of ${expected}`;
}

/**
 * As `compile` does, without the check of literals: Kubernetes refuses lists of several types and texts that are no
 * duration, the language itself does not. A returned text is the reason why the expression cannot run.
 */
function prepare(source: OfficialCase['source']): Result | string {
  const environment = environmentOf(source);
  try {
    const checked = checkTypes(parse(source.expr, environment), environment);
    if ('issues' in checked) return formatIssues(source.expr, checked.issues);
    const program = new Program(source.expr, checked, plan(checked, environment));
    return { type: program.type, run: () => evaluate(program, bindingsOf(source)) };
  } catch (error) {
    if (error instanceof SyntaxIssues) return error.message;
    // the engine refuses beforehand what the language would find out when it runs
    if (error instanceof ConstantFault) return { type: dyn, run: () => ({ error: error.message }) };
    throw error;
  }
}

function evaluate(
  program: Program,
  variables: Readonly<Record<string, unknown>>,
): { value: string } | { error: string } {
  const outcome = program.evaluate(variables, unlimited);
  return 'error' in outcome ? { error: outcome.error } : { value: canonical(outcome.value) };
}

const unlimited = { budget: Number.POSITIVE_INFINITY };

function bindingsOf(source: JsonObject): Record<string, unknown> {
  const bindings = Object.entries((source['bindings'] ?? {}) as Record<string, JsonObject>);
  return Object.fromEntries(bindings.map(([name, { value }]) => [name, readValue(value as JsonValue)]));
}

/** What the case declares, and the message that cases of white space and comments write; without declarations its variables may be of any type. */
function environmentOf(source: JsonObject): Environment {
  if (source['container'] !== undefined) throw new Unsupported(`container ${String(source['container'])}`);
  const declared = (source['typeEnv'] ?? []) as readonly JsonObject[];
  const variables: Record<string, CelType> = {};
  const functions: Record<string, readonly Overload[]> = {};
  for (const name of Object.keys((source['bindings'] ?? {}) as JsonObject)) variables[name] = dyn;
  for (const { name, ident, function: declaration } of declared) {
    if (declaration === undefined) variables[String(name)] = readType((ident as JsonObject)['type'] as JsonValue);
    else functions[String(name)] = overloadsOf(declaration as JsonObject);
  }
  const libraries = declared.length === 0 ? extendedLibraries : [...extendedLibraries, { functions }];
  const objects = [record('cel.expr.conformance.proto3.TestAllTypes', { single_int64: int })];
  return new Environment({ variables, objects, bindings: true, libraries });
}

/** Functions of cases are declared for the checker only. */
const overloadsOf = (declaration: JsonObject): Overload[] =>
  (declaration['overloads'] as readonly JsonObject[]).map(({ overloadId, params = [], resultType }) =>
    plain(
      String(overloadId),
      (params as readonly JsonValue[]).map(readType),
      readType(resultType as JsonValue),
      () => null,
    ),
  );
