// Rules in the schema of a custom resource, compiled: `self` is the value, `oldSelf` the previous value.

import { memoized } from '../../base/memoized.ts';
import type { RuleTimes } from '../../base/time/rule-times.ts';
import type { WorkMeter } from '../../base/time/work-meter.ts';
import { innerSchemas, marks, type Schema } from '../../schema/structural/schema.ts';
import { type CompileErrors, compile, type Program } from '../compile.ts';
import { Environment } from '../environment.ts';
import { estimateCost } from '../estimate.ts';
import { type DeclaredType, sizesOf } from '../structural-types.ts';
import { type CelType, optional } from '../types.ts';

/** As a definition writes it. */
export interface Rule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** An expression that runs, or the reason why it does not; with its maximal cost. */
export type CompiledExpression =
  | { readonly program: Program; readonly cost: number }
  | { readonly fault: string; readonly cost: 0 };

export const rulesOf = (schema: Schema): readonly Rule[] => (schema[marks.validations] ?? []) as readonly Rule[];

/** The rules of one schema, not of those inside it; `declared` is its type. Each is compiled on first use. */
export function compileRules(schema: Schema, declared: DeclaredType): readonly CompiledRule[] {
  return rulesOf(schema).map(ruleCompiler(declared));
}

/** Compiles rules about values of one type. */
export function ruleCompiler(declared: DeclaredType, age?: RuleAge): (rule: Rule) => CompiledRule {
  const { type } = declared;
  const withOld = environmentsFor({ self: type, oldSelf: type }, age);
  let withOptionalOld: EnvironmentOf | undefined;
  return (rule) => {
    if (!rule.optionalOldSelf) return new CompiledRule(rule, withOld, declared);
    withOptionalOld ??= environmentsFor({ self: type, oldSelf: optional(type) }, age);
    return new CompiledRule(rule, withOptionalOld, declared);
  };
}

/** Rules that are written may not use everything that stored ones have. */
interface RuleAge {
  /** The minor release whose functions new rules may use. */
  readonly newest: number;
  readonly stored: ReadonlySet<string>;
}

type EnvironmentOf = (source: string) => Environment;

function environmentsFor(variables: Readonly<Record<string, CelType>>, age: RuleAge | undefined): EnvironmentOf {
  let stored: Environment | undefined;
  let fresh: Environment | undefined;
  return (source) => {
    if (age === undefined || age.stored.has(source.trim())) {
      stored ??= new Environment({ variables });
      return stored;
    }
    fresh ??= new Environment({ variables, newest: age.newest });
    return fresh;
  };
}

interface Compilation {
  readonly test?: CompiledExpression;
  readonly message?: CompiledExpression;
  readonly usesOldSelf: boolean;
}

export class CompiledRule {
  readonly rule: Rule;
  readonly #environment: EnvironmentOf;
  readonly #declared: DeclaredType;
  #compilation: Compilation | undefined;

  constructor(rule: Rule, environment: EnvironmentOf, declared: DeclaredType) {
    this.rule = rule;
    this.#environment = environment;
    this.#declared = declared;
  }

  /** Undefined for a rule without an expression. */
  get test(): CompiledExpression | undefined {
    return this.#compiled.test;
  }

  get message(): CompiledExpression | undefined {
    return this.#compiled.message;
  }

  /** It compares: without an old value there is nothing to say, unless it takes that for an answer. */
  get usesOldSelf(): boolean {
    return this.#compiled.usesOldSelf;
  }

  get #compiled(): Compilation {
    this.#compilation ??= this.#compile();
    return this.#compilation;
  }

  /** Compiles it, where that was not done before: for callers that measure. */
  prepare(times?: RuleTimes, meter?: WorkMeter): void {
    this.#compilation ??= this.#compile(times, meter);
  }

  #compile(times?: RuleTimes, meter?: WorkMeter): Compilation {
    const { rule: source = '', messageExpression = '' } = this.rule;
    if (source.trim() === '') return { usesOldSelf: false };
    const test = this.#judge(source, testWords, times, meter);
    if ('fault' in test) return { test, usesOldSelf: false };
    const usesOldSelf = refersTo(test.program, 'oldSelf');
    if (messageExpression === '') return { test, usesOldSelf };
    return { test, message: this.#judge(messageExpression, messageWords, times, meter), usesOldSelf };
  }

  #judge(source: string, words: Words, times: RuleTimes | undefined, meter: WorkMeter | undefined): CompiledExpression {
    const began = performance.now();
    const compiled = compile(source, this.#environment(source), meter);
    times?.compilation.observe((performance.now() - began) / 1000);
    const type = 'errors' in compiled ? compiled.errors.type : compiled.program.type;
    if (type !== undefined && type.is !== words.type) return { fault: words.otherType, cost: 0 };
    if ('errors' in compiled) return { fault: failure(words, compiled.errors), cost: 0 };
    const { program } = compiled;
    const { max } = estimateCost(program.checked, sizesOf(this.#declared));
    return { program, cost: max };
  }
}

const failure = ({ failed, notMade }: Words, { message, type }: CompileErrors): string =>
  `${type === undefined ? failed : notMade}: ${message}`;

interface Words {
  readonly type: 'bool' | 'string';
  readonly failed: string;
  readonly notMade: string;
  readonly otherType: string;
}

const testWords: Words = {
  type: 'bool',
  failed: 'compilation failed',
  notMade: 'program instantiation failed',
  otherType: 'cel expression must evaluate to a bool',
};
const messageWords: Words = {
  type: 'string',
  failed: 'messageExpression compilation failed',
  notMade: 'messageExpression instantiation failed',
  otherType: 'messageExpression must evaluate to a string',
};

function refersTo({ checked }: Program, name: string): boolean {
  for (const reference of checked.references.values()) {
    if (reference.to === 'variable' && (reference.name === name || reference.name === `.${name}`)) return true;
  }
  return false;
}

/** Whether a schema has rules, or something in it has: evaluation skips the others. Found out once. */
export const hasRules = memoized(
  (schema: Schema): boolean => rulesOf(schema).length > 0 || innerSchemas(schema).some(hasRules),
);
