// Runs the rules of a schema on a value, and those of what is in it.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { RuleTimes } from '../../base/rule-times.ts';
import type { Steps } from '../../base/steps.ts';
import { YieldTimer } from '../../base/yield-timer.ts';
import type { FieldError } from '../../meta/status.ts';
import { isUnchanged, oldItems, oldMember } from '../../schema/structural/correlate.ts';
import { additionalOf, itemsOf, type Schema } from '../../schema/structural/schema.ts';
import { adapterOf } from '../adapt.ts';
import type { Outcome, Program } from '../compile.ts';
import type { Frame, Turns } from '../frame.ts';
import { Interruption } from '../progress.ts';
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
  /** What is left of the budget; negative where it did not suffice. */
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
  /** Called after each rest; throws where the request has ended meanwhile. */
  readonly throwIfEnded?: (() => void) | undefined;
  /** Hears how long it took. */
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
    const run = this.#begin(value, old, options, 'none');
    while (run.step());
    run.done();
    return run.verdict;
  }

  /** The same for values and rules that were not evaluated yet: other requests have their turns in between. */
  async validateInTurns(value: JsonValue, old: JsonValue | undefined, options: RunOptions): Promise<Verdict> {
    const run = this.#begin(value, old, options, 'timed');
    const pace = new YieldTimer();
    while (run.step()) {
      if (run.answer === undefined && !pace.isDue) continue;
      await run.answer;
      if (pace.isDue) await pace.rest();
      options.throwIfEnded?.();
    }
    run.done();
    return run.verdict;
  }

  #begin(value: JsonValue, old: JsonValue | undefined, options: RunOptions, turns: Turns): Run {
    const { at, budget = objectBudget, ratchets = false, times } = options;
    const run = new Run(this.#compile, budget, turns, times);
    const same = ratchets && old !== undefined ? new Sameness(value, old, this.#schema) : undefined;
    run.enter({ schema: this.#schema, value, at, declared: this.#declared, old: old ?? undefined, same });
    return run;
  }
}

/** Rules are compiled once for each schema. */
export function remembering(compile: Compile): Compile {
  const known = new WeakMap<Schema, readonly CompiledRule[]>();
  return (schema, declared) => {
    let rules = known.get(schema);
    if (rules === undefined) {
      rules = compile(schema, declared);
      known.set(schema, rules);
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

/** What is left to do about a value: its rules, then what is in it. */
interface Task {
  readonly node: Node & { readonly declared: DeclaredType };
  readonly rules: Iterator<CompiledRule>;
  readonly inner: Iterator<Node>;
}

/** An expression that is being run, and what is done with what comes of it. */
interface Evaluation {
  readonly program: Program;
  readonly frame: Frame;
  readonly then: (outcome: Outcome) => void;
}

/** A rule that is being compiled. */
interface Preparation {
  readonly rule: CompiledRule;
  readonly steps: Steps<void>;
}

class Run {
  readonly #validationErrors: FieldError[] = [];
  readonly #tolerated: FieldError[] = [];
  readonly #compile: Compile;
  /** From the outermost value to the one at hand. */
  readonly #tasks: Task[] = [];
  readonly #began = performance.now();
  readonly #turns: Turns;
  readonly #times: RuleTimes | undefined;
  #budget: number;
  #ahead: Preparation | undefined;
  #current: Evaluation | undefined;
  /** What has to be waited for before the next step. */
  answer: Promise<unknown> | undefined;

  constructor(compile: Compile, budget: number, turns: Turns, times: RuleTimes | undefined) {
    this.#compile = compile;
    this.#budget = budget;
    this.#turns = turns;
    this.#times = times;
  }

  /** Everything was looked at that is to be looked at. */
  done(): void {
    this.#times?.evaluation.observe((performance.now() - this.#began) / 1000);
  }

  get verdict(): Verdict {
    return { validationErrors: this.#validationErrors, budget: this.#budget, tolerated: this.#tolerated };
  }

  enter(node: Node): void {
    const { schema, declared, value } = node;
    if (declared === undefined || value === null || !hasRules(schema)) return;
    const rules = this.#compile(schema, declared).values();
    this.#tasks.push({ node: { ...node, declared }, rules, inner: innerNodes(node) });
  }

  /** Runs one rule for a while, or turns to another value; false when there is nothing left to do. */
  step(): boolean {
    if (this.#current !== undefined) return this.#advance(this.#current);
    const task = this.#tasks.at(-1);
    if (task === undefined || this.#budget < 0 || this.#validationErrors.length >= mostErrors) return false;
    if (this.#ahead !== undefined) return this.#prepare(task.node, this.#ahead);
    const rule = task.rules.next();
    if (!rule.done) {
      if (rule.value.isReady) this.#rule(task.node, rule.value);
      else this.#ahead = { rule: rule.value, steps: rule.value.preparing(this.#times) };
      return true;
    }
    const inner = task.inner.next();
    if (inner.done) this.#tasks.pop();
    else this.enter(inner.value);
    return true;
  }

  /** Goes on with the compilation of a rule; runs it when that is over. */
  #prepare(node: Task['node'], { rule, steps }: Preparation): true {
    if (!steps.next().done) return true;
    this.#ahead = undefined;
    this.#rule(node, rule);
    return true;
  }

  #rule(node: Task['node'], compiled: CompiledRule): void {
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
    else this.#evaluate(test.program, variables, (outcome) => this.#decide(node, compiled, variables, outcome));
  }

  #outOfBudget(node: Node): void {
    this.#budget = -1;
    this.#validationErrors.push(unjudged(node, outOfBudget));
  }

  #evaluate(program: Program, variables: Values, then: Evaluation['then']): void {
    this.#advance({ program, frame: program.begin(variables, { turns: this.#turns }), then });
  }

  #advance(evaluation: Evaluation): true {
    const outcome = evaluation.program.advance(evaluation.frame);
    const isOver = !(outcome instanceof Interruption);
    this.#current = isOver ? undefined : evaluation;
    this.answer = isOver ? undefined : outcome.answer;
    if (isOver) evaluation.then(outcome);
    return true;
  }

  #decide(node: Task['node'], compiled: CompiledRule, variables: Values, outcome: Outcome): void {
    // a run that costs nothing takes time as well
    this.#budget -= Math.max(1, outcome.cost);
    if (this.#budget < 0) this.#outOfBudget(node);
    else if ('error' in outcome) {
      this.#validationErrors.push(unjudged(node, failedRun(outcome, compiled.rule)));
      if (outcome.reason === 'budget') this.#budget = -1;
    } else if (outcome.value !== true) this.#explain(node, compiled, variables);
  }

  #explain(node: Task['node'], compiled: CompiledRule, variables: Values): void {
    const { message } = compiled;
    if (message === undefined || !('program' in message)) this.#broken(node, compiled, undefined);
    else this.#evaluate(message.program, variables, (said) => this.#broken(node, compiled, said));
  }

  #broken(node: Node, { rule, usesOldSelf }: CompiledRule, said: Outcome | undefined): void {
    const problem = said && this.#unpaid(said, rule);
    const told = said && 'value' in said ? said.value : undefined;
    const detail = typeof told === 'string' && isSayable(told.trim()) ? told.trim() : messageOf(rule);
    const validationError = problem === undefined ? brokenRule(node, rule, detail) : unjudged(node, problem, rule);
    const isTolerated = !usesOldSelf && node.same?.isSame === true;
    if (!isTolerated) this.#validationErrors.push(validationError);
    else if (this.#tolerated.length < mostErrors) this.#tolerated.push(validationError);
  }

  /** Charges a message; ends the run where it costs too much, and says so. */
  #unpaid(said: Outcome, { messageExpression }: Rule): string | undefined {
    const isTooDear = 'error' in said && said.reason === 'budget';
    this.#budget -= said.cost;
    if (this.#budget >= 0 && !isTooDear) return undefined;
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

function* innerNodes(node: Node): Iterator<Node> {
  if (Array.isArray(node.value)) yield* itemsIn(node, node.value);
  else if (isJsonObject(node.value)) yield* membersOf(node, node.value);
}

/** How the part of a value is compared, where the value itself is. */
function sameOf({ same }: Node, value: JsonValue, old: JsonValue | undefined, schema: Schema): Sameness | undefined {
  return same === undefined || old === undefined ? same : new Sameness(value, old, schema);
}

function* itemsIn(node: Node, list: readonly JsonValue[]): Iterable<Node> {
  const { schema, at, declared, old } = node;
  const items = itemsOf(schema);
  if (items === undefined || !hasRules(items)) return;
  const before = oldItems(schema, old);
  for (const [index, value] of list.entries()) {
    const was = before(value);
    const same = sameOf(node, value, was, items);
    yield { schema: items, value, at: `${at}[${index}]`, declared: declared?.element, old: was, same };
  }
}

function* membersOf(parent: Node, object: JsonObject): Iterable<Node> {
  const { schema, at, declared, old } = parent;
  const others = additionalOf(schema);
  const { properties = {} } = schema;
  for (const [key, value] of Object.entries(object)) {
    const was = oldMember(old, key) ?? undefined;
    const same = (inner: Schema) => sameOf(parent, value, was, inner);
    const node = { value, old: was };
    if (others !== undefined)
      yield { ...node, same: same(others), schema: others, at: `${at}[${key}]`, declared: declared?.element };
    const own = getOwn(properties, key);
    const place = at === '' ? key : `${at}.${key}`;
    if (own !== undefined)
      yield { ...node, same: same(own), schema: own, at: place, declared: declared?.properties?.get(key) };
  }
}
