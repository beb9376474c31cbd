// Runs the rules of a schema on a value and on its parts.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { RuleTimes } from '../../base/time/rule-times.ts';
import type { WorkMeter } from '../../base/time/work-meter.ts';
import type { FieldError } from '../../meta/status.ts';
import { isUnchanged, oldItems, oldMember } from '../../schema/structural/correlate.ts';
import { additionalOf, itemsOf, type Schema } from '../../schema/structural/schema.ts';
import { adapterOf } from '../adapt.ts';
import type { Outcome, Program } from '../compile.ts';
import { type DeclaredType, declareSchema } from '../structural-types.ts';
import { none, OptionalValue } from '../values.ts';
import { type CompiledRule, compileRules, hasRules, type Rule } from './compile-rules.ts';
import {
  brokenRule,
  failedRun,
  messageOf,
  messageOutOfBudget,
  messageTooDear,
  outOfBudget,
  type Subject,
  unjudged,
} from './rule-errors.ts';

/** What all rules of a custom resource may cost together when one object is judged. */
export const objectBudget = 10_000_000;
/** No client reads more: a list of a million wrong items must not become an answer of a million causes. */
const mostErrors = 1000;
const longestMessage = 5 * 1024;

export interface Verdict {
  readonly validationErrors: readonly FieldError[];
  /** The rest of the budget; negative if it did not suffice. */
  readonly budget: number;
  /** Rules that do not hold for values that were the same before. */
  readonly tolerated: readonly FieldError[];
}

interface RunOptions {
  /** Where the value stands; empty for a whole object. */
  readonly at: string;
  readonly budget?: number;
  /** What breaks a rule and was the same before is tolerated. */
  readonly ratchets?: boolean;
  /** Counts the work of the request. */
  readonly meter?: WorkMeter | undefined;
  /** Receives the time of the run. */
  readonly times?: RuleTimes | undefined;
}

export type Compile = (schema: Schema, declared: DeclaredType) => readonly CompiledRule[];

/** The rules of a schema. They are compiled when a value meets them. */
export class RuleEvaluator {
  readonly #schema: Schema;
  readonly #declared: DeclaredType | undefined;
  readonly #compile: Compile;

  /** `isObject`: the schema describes a whole object. `compile` may remember. */
  constructor(schema: Schema, isObject: boolean, compile: Compile = remembering(compileRules)) {
    this.#schema = schema;
    this.#declared = hasRules(schema) ? declareSchema(schema, isObject) : undefined;
    this.#compile = compile;
  }

  /** `old` is what the value was before; undefined when it is new. */
  validate(value: JsonValue, old: JsonValue | undefined, options: RunOptions): Verdict {
    const began = performance.now();
    const run = new Run(this.#compile, options);
    const same = options.ratchets && old !== undefined ? new Sameness(value, old, this.#schema) : undefined;
    const node = { schema: this.#schema, value, at: options.at, declared: this.#declared, old: old ?? undefined, same };
    run.visit(node);
    options.times?.evaluation.observe((performance.now() - began) / 1000);
    return run.verdict;
  }
}

/** Rules are compiled once for each schema. */
export function remembering(compile: Compile): Compile {
  const bySchema = new WeakMap<Schema, readonly CompiledRule[]>();
  return (schema, declared) => {
    let rules = bySchema.get(schema);
    if (rules === undefined) {
      rules = compile(schema, declared);
      bySchema.set(schema, rules);
    }
    return rules;
  };
}

/** Whether a value is the same as before; compared when a rule asks, and once. */
class Sameness {
  readonly value: JsonValue;
  readonly old: JsonValue;
  readonly #schema: Schema;
  #isSame: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  get isSame(): boolean {
    this.#isSame ??= isUnchanged(this.value, this.old, this.#schema);
    return this.#isSame;
  }
}

/** A value that is to be judged. */
interface Node extends Subject {
  readonly value: JsonValue;
  /** Undefined where expressions cannot see the value: it has no rules that run. */
  readonly declared: DeclaredType | undefined;
  readonly old: JsonValue | undefined;
  /** Compares the value, or the nearest one around it for which that can be done; undefined where nothing is tolerated. */
  readonly same: Sameness | undefined;
}

type DeclaredNode = Node & { readonly declared: DeclaredType };

class Run {
  readonly #validationErrors: FieldError[] = [];
  readonly #tolerated: FieldError[] = [];
  readonly #compile: Compile;
  readonly #meter: WorkMeter | undefined;
  readonly #times: RuleTimes | undefined;
  #budget: number;

  constructor(compile: Compile, { budget = objectBudget, meter, times }: RunOptions) {
    this.#compile = compile;
    this.#budget = budget;
    this.#meter = meter;
    this.#times = times;
  }

  get verdict(): Verdict {
    return { validationErrors: this.#validationErrors, budget: this.#budget, tolerated: this.#tolerated };
  }

  get #isOver(): boolean {
    return this.#budget < 0 || this.#validationErrors.length >= mostErrors;
  }

  /** Runs the rules of a value, then those of its parts. */
  visit(node: Node): void {
    const { schema, declared, value } = node;
    if (declared === undefined || value === null || !hasRules(schema)) return;
    for (const rule of this.#compile(schema, declared)) {
      if (this.#isOver) return;
      rule.prepare(this.#times, this.#meter);
      this.#rule({ ...node, declared }, rule);
    }
    if (Array.isArray(value)) this.#visitItems(node, value);
    else if (isJsonObject(value)) this.#visitMembers(node, value);
  }

  #visitItems(node: Node, list: readonly JsonValue[]): void {
    const { schema, at, declared, old } = node;
    const items = itemsOf(schema);
    if (items === undefined || !hasRules(items)) return;
    const before = oldItems(schema, old);
    for (const [index, value] of list.entries()) {
      if (this.#isOver) return;
      const was = before(value);
      const same = sameOf(node, value, was, items);
      this.visit({ schema: items, value, at: `${at}[${index}]`, declared: declared?.element, old: was, same });
    }
  }

  #visitMembers(parent: Node, object: JsonObject): void {
    const { schema, at, declared, old } = parent;
    const others = additionalOf(schema);
    const { properties = {} } = schema;
    for (const [key, value] of Object.entries(object)) {
      if (this.#isOver) return;
      const was = oldMember(old, key) ?? undefined;
      const same = (inner: Schema) => sameOf(parent, value, was, inner);
      const node = { value, old: was };
      if (others !== undefined)
        this.visit({ ...node, same: same(others), schema: others, at: `${at}[${key}]`, declared: declared?.element });
      const own = getOwn(properties, key);
      const place = at === '' ? key : `${at}.${key}`;
      if (own !== undefined)
        this.visit({ ...node, same: same(own), schema: own, at: place, declared: declared?.properties?.get(key) });
    }
  }

  #rule(node: DeclaredNode, compiled: CompiledRule): void {
    const { declared, old } = node;
    const { rule, test, usesOldSelf } = compiled;
    const takesNothing = rule.optionalOldSelf ?? false;
    if (test === undefined || (usesOldSelf && old === undefined && !takesNothing)) return;
    if ('fault' in test) {
      this.#validationErrors.push(unjudged(node, `rule compile error: ${test.fault}`));
      return;
    }
    const oldSelf = takesNothing ? optionalOf(declared, old) : old;
    const variables = { self: node.value, ...(oldSelf === undefined ? {} : { oldSelf }) };
    if (this.#budget <= 0) this.#outOfBudget(node);
    else this.#decide(node, compiled, variables, this.#evaluate(test.program, variables));
  }

  #evaluate(program: Program, variables: Values): Outcome {
    return program.evaluate(variables, { meter: this.#meter });
  }

  #outOfBudget(node: Node): void {
    this.#budget = -1;
    this.#validationErrors.push(unjudged(node, outOfBudget));
  }

  #decide(node: DeclaredNode, compiled: CompiledRule, variables: Values, outcome: Outcome): void {
    // a run that costs nothing takes time as well
    this.#budget -= Math.max(1, outcome.cost);
    if (this.#budget < 0) this.#outOfBudget(node);
    else if ('error' in outcome) {
      this.#validationErrors.push(unjudged(node, failedRun(outcome, compiled.rule)));
      if (outcome.reason === 'budget') this.#budget = -1;
    } else if (outcome.value !== true) this.#explain(node, compiled, variables);
  }

  #explain(node: DeclaredNode, compiled: CompiledRule, variables: Values): void {
    const { message } = compiled;
    if (message === undefined || !('program' in message)) this.#broken(node, compiled, undefined);
    else this.#broken(node, compiled, this.#evaluate(message.program, variables));
  }

  #broken(node: Node, { rule, usesOldSelf }: CompiledRule, messageOutcome: Outcome | undefined): void {
    const problem = messageOutcome && this.#unpaid(messageOutcome, rule);
    const message = messageOutcome && 'value' in messageOutcome ? messageOutcome.value : undefined;
    const detail = typeof message === 'string' && isSayable(message.trim()) ? message.trim() : messageOf(rule);
    const validationError = problem === undefined ? brokenRule(node, rule, detail) : unjudged(node, problem, rule);
    const isTolerated = !usesOldSelf && node.same?.isSame === true;
    if (!isTolerated) this.#validationErrors.push(validationError);
    else if (this.#tolerated.length < mostErrors) this.#tolerated.push(validationError);
  }

  /** Charges a message; if it exceeds the budget, ends the run and returns the problem. */
  #unpaid(messageOutcome: Outcome, { messageExpression }: Rule): string | undefined {
    const exceedsBudget = 'error' in messageOutcome && messageOutcome.reason === 'budget';
    this.#budget -= messageOutcome.cost;
    if (this.#budget >= 0 && !exceedsBudget) return undefined;
    const problem = this.#budget < 0 ? messageOutOfBudget : messageTooDear(messageExpression ?? '');
    this.#budget = -1;
    return problem;
  }
}

type Values = Readonly<Record<string, unknown>>;

const isSayable = (text: string): boolean =>
  text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessage;

const optionalOf = ({ type }: DeclaredType, old: JsonValue | undefined): OptionalValue =>
  old === undefined ? none : new OptionalValue(adapterOf(type)(old));

/** How the part of a value is compared, where the value itself is. */
function sameOf({ same }: Node, value: JsonValue, old: JsonValue | undefined, schema: Schema): Sameness | undefined {
  return same === undefined || old === undefined ? same : new Sameness(value, old, schema);
}
