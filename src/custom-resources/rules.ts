// Rules in the schemas of custom resources. The language of expressions is loaded with the first object that meets one.

import { ExpensiveMark } from '../base/expensive-mark.ts';
import type { JsonValue } from '../base/json/json.ts';
import { loadedOnce } from '../base/loaded-once.ts';
import type { RuleTimes } from '../base/time/rule-times.ts';
import { WorkMeter } from '../base/time/work-meter.ts';
import type { RuleEvaluator, Verdict } from '../cel/rules/evaluate-rules.ts';
import type { ApiObject } from '../meta/object.ts';
import type { ExpressionRun } from '../schema/strategy.ts';
import { marks, type Schema, schemaHas } from '../schema/structural/schema.ts';

/** The rules of one schema of whole objects. */
export class CustomRules {
  readonly #schema: Schema;
  #exist: boolean | undefined;
  #evaluator: Promise<RuleEvaluator> | undefined;
  readonly #expensive = new ExpensiveMark();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Found out when it is first asked for. */
  get exist(): boolean {
    this.#exist ??= schemaHas(this.#schema, (schema) => ((schema[marks.validations] ?? []) as unknown[]).length > 0);
    return this.#exist;
  }

  /** `old` is undefined for a new object. */
  async judge(
    next: ApiObject,
    old: ApiObject | undefined,
    { moveIfPossible }: ExpressionRun,
    times: RuleTimes | undefined,
  ): Promise<Verdict> {
    this.#evaluator ??= load(this.#schema);
    const evaluator = await this.#evaluator;
    const asJson = (object: ApiObject) => object as unknown as JsonValue;
    const meter = new WorkMeter(() => {
      this.#expensive.mark();
      moveIfPossible?.();
    });
    return evaluator.validate(asJson(next), old && asJson(old), { at: '', ratchets: true, meter, times });
  }

  /** Whether the rules took long for another object a short time ago. */
  get areExpensive(): boolean {
    return this.#expensive.isMarked;
  }
}

const language = loadedOnce(() => import('../cel/rules/evaluate-rules.ts'));

async function load(schema: Schema): Promise<RuleEvaluator> {
  const { RuleEvaluator } = await language();
  return new RuleEvaluator(schema, true);
}
