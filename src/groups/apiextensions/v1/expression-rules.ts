// Rules in the schema of a custom resource: expressions that compile, cost little enough, and hold for defaults.

import type { RuleTimes } from '../../../base/time/rule-times.ts';
import type { WorkMeter } from '../../../base/time/work-meter.ts';
import { costFault, definitionLimit, ruleLimit } from '../../../cel/estimate.ts';
import { unlimited } from '../../../cel/ranges.ts';
import {
  type CompiledExpression,
  type CompiledRule,
  compileRules,
  type Rule,
  ruleCompiler,
  rulesOf,
} from '../../../cel/rules/compile-rules.ts';
import { type Compile, objectBudget, RuleEvaluator, remembering } from '../../../cel/rules/evaluate-rules.ts';
import { type DeclaredType, mostOf } from '../../../cel/structural-types.ts';
import { forbiddenField, internalAt, invalidValue } from '../../../meta/field-errors.ts';
import { innerSchemas, marks, type Schema } from '../../../schema/structural/schema.ts';
import { type ExpressionAge, expressionAge } from '../../expression-age.ts';
import type { ValidationErrors } from '../../rules.ts';
import { type Default, defaultsIn, validateDefault } from './default-rules.ts';
import { type RuleSite, ruleSites } from './rule-sites.ts';
import { faultySchemas } from './schema-rules.ts';
import { validateStructural } from './structural-rules.ts';
import { findUnfitKeyword } from './unfit-keyword.ts';

/** The schema of an object, at a place of its definition. */
interface RootSchema {
  readonly schema: Schema;
  readonly at: string;
  /** It was stored as it is: no single rule is too expensive now. */
  readonly isStored: boolean;
}

/** What is measured while rules are compiled and run. */
interface Measures {
  readonly times?: RuleTimes | undefined;
  /** Counts the work of the request. */
  readonly meter?: WorkMeter | undefined;
}

/** Rules of a schema that makes no sense are not looked at. */
export function validateSchemaExpressions(
  roots: readonly RootSchema[],
  age: ExpressionAge = expressionAge(),
  measures: Measures = {},
): ValidationErrors {
  const found: ValidationErrors[number][] = [];
  for (const root of roots) {
    const unfit = findUnfitKeyword(root.schema);
    const isStructural = unfit === undefined && validateStructural(root.schema, root.at).length === 0;
    if (isStructural) for (const error of new RuleCheck(root, age, measures).run()) found.push(error);
  }
  return found;
}

/** The expressions in schemas, and in those inside of them. */
export function ruleTexts(schemas: readonly Schema[]): readonly (string | undefined)[] {
  return schemas.flatMap((schema) => [
    ...rulesOf(schema).flatMap(({ rule, messageExpression }) => [rule, messageExpression]),
    ...ruleTexts(innerSchemas(schema)),
  ]);
}

/** No author reads more: a definition that has so many faults is refused for these. */
const mostText = 1_000_000;

class RuleCheck {
  readonly #root: RootSchema;
  readonly #age: ExpressionAge;
  readonly #measures: Measures;
  readonly #found: ValidationErrors[number][] = [];
  readonly #total = new TotalCost();
  #text = 0;

  constructor(root: RootSchema, age: ExpressionAge, measures: Measures) {
    this.#root = root;
    this.#age = age;
    this.#measures = measures;
  }

  run(): ValidationErrors {
    if (this.#checkDefaults()) this.#checkRules();
    return this.#found;
  }

  #add(...validationErrors: ValidationErrors): void {
    for (const validationError of validationErrors) this.#text += validationError.message.length;
    this.#found.push(...validationErrors);
  }

  /** Whether all defaults are in order; they are told to break rules only when they are otherwise. */
  #checkDefaults(): boolean {
    const { schema, at } = this.#root;
    // several defaults may meet the same rules
    const compile = remembering(compileRules);
    let budget = objectBudget;
    let isFine = true;
    for (const one of defaultsIn(schema, at)) {
      if (budget < 0 || this.#text > mostText) break;
      if (validateDefault(one).length > 0) isFine = false;
      else budget = this.#checkDefault(one, compile, budget);
    }
    return isFine && this.#found.length === 0;
  }

  /** As a value that stays what it was, then as a new one; gives what is left of the budget. */
  #checkDefault({ value, schema, at, position }: Default, compile: Compile, budget: number): number {
    const { times, meter } = this.#measures;
    const evaluator = new RuleEvaluator(schema, position.isObject, compile);
    const kept = evaluator.validate(value, value, { at, budget, meter, times });
    this.#add(...kept.validationErrors);
    if (kept.validationErrors.length > 0) return kept.budget;
    const fresh = evaluator.validate(value, undefined, { at, budget, meter, times });
    this.#add(...fresh.validationErrors);
    return Math.min(kept.budget, fresh.budget);
  }

  #checkRules(): void {
    const { schema, at } = this.#root;
    for (const site of ruleSites(schema, at, faultySchemas(schema))) {
      if (this.#text > mostText) return;
      this.#checkSite(site);
    }
    this.#add(...this.#total.validationErrors(at));
  }

  #checkSite(site: RuleSite): void {
    const { schema, at, declared } = site;
    const place = `${at}.${marks.validations}`;
    if (declared === undefined) {
      this.#add(internalAt(place, noType));
      return;
    }
    const compile = ruleCompiler(declared, this.#age);
    for (const [index, rule] of rulesOf(schema).entries()) {
      if (this.#text > mostText) return;
      const compiled = compile(rule);
      compiled.prepare(this.#measures.times, this.#measures.meter);
      this.#add(...this.#checkRule(compiled, { ...site, declared, at: `${place}[${index}]` }));
    }
  }

  #checkRule({ rule, test, message, usesOldSelf }: CompiledRule, site: SeenSite): ValidationErrors {
    const times = site.cardinality ?? mostOf(site.declared);
    const { rule: source, optionalOldSelf } = rule;
    const { at, uncorrelated } = site;
    return [
      ...this.#checkExpression(test, `${at}.rule`, { rule, what: 'estimated rule cost', times }),
      ...this.#checkExpression(message, `${at}.messageExpression`, { rule, what: messageCost, times: 1 }),
      ...(usesOldSelf && uncorrelated ? [invalidValue(`${at}.rule`, source, uncorrelatedWithin(uncorrelated))] : []),
      ...(!usesOldSelf && optionalOldSelf !== undefined
        ? [invalidValue(`${at}.optionalOldSelf`, optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
        : []),
    ];
  }

  #checkExpression(
    expression: CompiledExpression | undefined,
    at: string,
    { rule, what, times }: Context,
  ): ValidationErrors {
    if (expression === undefined) return [];
    if ('fault' in expression) return [invalidValue(at, shown(rule), expression.fault)];
    const cost = Math.min(expression.cost * times, unlimited);
    this.#total.observe(at, cost);
    return cost > ruleLimit && !this.#root.isStored ? [forbiddenField(at, costFault(what, cost, ruleLimit))] : [];
  }
}

type SeenSite = RuleSite & { readonly declared: DeclaredType };

interface Context {
  readonly rule: Rule;
  readonly what: string;
  /** How often the expression runs for one object. */
  readonly times: number;
}

const noType = `internal error: failed to construct type information for ${marks.validations} rules: unable to convert structural schema to CEL declarations`;
const messageCost = 'estimated messageExpression cost';
const uncorrelatedWithin = (at: string) =>
  `oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}`;

/** compat: validation errors repeat a rule with the names that its parts have inside of the reference implementation */
const shown = ({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: Rule) => ({
  Rule: rule ?? '',
  Message: message ?? '',
  MessageExpression: messageExpression ?? '',
  Reason: reason ?? null,
  FieldPath: fieldPath ?? '',
  OptionalOldSelf: optionalOldSelf ?? null,
});

/** What all rules of a schema cost together, and which of them cost most. */
class TotalCost {
  #total = 0;
  #dearest: readonly { readonly at: string; readonly cost: number }[] = [];

  observe(at: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, unlimited);
    if (cost < definitionLimit / 100) return;
    this.#dearest = [...this.#dearest, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  validationErrors(at: string): ValidationErrors {
    if (this.#total <= definitionLimit) return [];
    const what = `${marks.validations} estimated rule cost total for entire OpenAPIv3 schema`;
    return [
      ...this.#dearest.map((one) => forbiddenField(one.at, contributed)),
      forbiddenField(at, costFault(what, this.#total, definitionLimit)),
    ];
  }
}

const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
