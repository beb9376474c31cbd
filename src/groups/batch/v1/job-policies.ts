// Job: rules about when pods count as failed, and when the job has succeeded early.

import {
  duplicate,
  invalidAt,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkQualifiedName } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, notNegative, type ValidationErrors } from '../../rules.ts';
import { parseIndexes } from './job-indexes.ts';
import type {
  jobSpec,
  podFailurePolicyOnExitCodesRequirement,
  podFailurePolicyOnPodConditionsPattern,
  podFailurePolicyRule,
  successPolicyRule,
} from './job-type.ts';

type Spec = Infer<typeof jobSpec>;
type FailureRule = Infer<typeof podFailurePolicyRule>;
type ExitCodes = Infer<typeof podFailurePolicyOnExitCodesRequirement>;
type ConditionPattern = Infer<typeof podFailurePolicyOnPodConditionsPattern>;
type SuccessRule = Infer<typeof successPolicyRule>;

const maxRules = 20;
const maxPatterns = 20;
const maxExitCodes = 255;
const maxIndexesLength = 64 * 1024;

export function validateFailurePolicy(spec: Spec, at: string): ValidationErrors {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const names = containerNames(spec);
  return [
    ...(rules.length > maxRules ? [tooMany(`${at}.rules`, rules.length, maxRules)] : []),
    ...findEach(rules, (rule, index) => validateFailureRule(rule, { spec, names, at: `${at}.rules[${index}]` })),
  ];
}

function containerNames({ template }: Spec): ReadonlySet<string> {
  const { containers, initContainers } = template?.spec ?? {};
  return new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name = '' }) => name));
}

interface RulePlace {
  readonly spec: Spec;
  readonly names: ReadonlySet<string>;
  readonly at: string;
}

function validateFailureRule(rule: FailureRule, { spec, names, at }: RulePlace): ValidationErrors {
  const { onExitCodes } = rule;
  const patterns = rule.onPodConditions ?? [];
  const both = onExitCodes && patterns.length > 0;
  const neither = !onExitCodes && patterns.length === 0;
  return [
    ...validateAction(rule.action ?? '', spec, `${at}.action`),
    ...(onExitCodes ? validateExitCodes(onExitCodes, names, `${at}.onExitCodes`) : []),
    ...validatePatterns(patterns, `${at}.onPodConditions`),
    ...(both ? [invalidAt(at, 'specifying both OnExitCodes and OnPodConditions is not supported')] : []),
    ...(neither ? [invalidAt(at, 'specifying one of OnExitCodes and OnPodConditions is required')] : []),
  ];
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

/** Choices as messages about a missing value list them. */
const choices = (values: readonly string[]) => `valid values: [${values.map((v) => JSON.stringify(v)).join(' ')}]`;

function validateAction(action: string, { backoffLimitPerIndex }: Spec, at: string): ValidationErrors {
  if (action === '') return [required(at, choices(actions))];
  if (!actions.includes(action)) return [notSupported(at, action, actions)];
  if (action !== 'FailIndex' || backoffLimitPerIndex !== undefined) return [];
  return [invalidValue(at, action, 'requires the backoffLimitPerIndex to be set')];
}

function validatePatterns(patterns: readonly ConditionPattern[], at: string): ValidationErrors {
  return [
    ...(patterns.length > maxPatterns ? [tooMany(at, patterns.length, maxPatterns)] : []),
    ...findEach(patterns, ({ type = '', status = '' }, index) => [
      ...checked(`${at}[${index}].type`, type, checkQualifiedName),
      ...validateChoice(`${at}[${index}].status`, status, ['False', 'True', 'Unknown']),
    ]),
  ];
}

function validateChoice(at: string, value: string, values: readonly string[]): ValidationErrors {
  if (value === '') return [required(at, choices(values))];
  return values.includes(value) ? [] : [notSupported(at, value, values)];
}

const containerAdvice = 'must be one of the container or initContainer names in the pod template';

function validateExitCodes(
  { containerName, operator = '', values }: ExitCodes,
  names: ReadonlySet<string>,
  at: string,
) {
  const codes = values ?? [];
  const unknown = containerName !== undefined && !names.has(containerName);
  return [
    ...validateChoice(`${at}.operator`, operator, ['In', 'NotIn']),
    ...(unknown ? [invalidValue(`${at}.containerName`, containerName, containerAdvice)] : []),
    ...(codes.length === 0 ? [invalidValue(`${at}.values`, values ?? null, 'at least one value is required')] : []),
    ...(codes.length > maxExitCodes ? [tooMany(`${at}.values`, codes.length, maxExitCodes)] : []),
    ...validateCodes(codes, operator, `${at}.values`),
  ];
}

function validateCodes(codes: readonly number[], operator: string, at: string): ValidationErrors {
  const seen = new Set<number>();
  const errors = findEach(codes, (code, index) => {
    const zero = operator === 'In' && code === 0;
    const again = seen.has(code);
    seen.add(code);
    return [
      ...(zero ? [invalidValue(`${at}[${index}]`, code, 'must not be 0 for the In operator')] : []),
      ...(again ? [duplicate(`${at}[${index}]`, code)] : []),
    ];
  });
  const ordered = codes.every((code, index) => index === 0 || (codes[index - 1] as number) <= code);
  return ordered ? errors : [...errors, invalidValue(at, codes, 'must be ordered')];
}

export function validateSuccessPolicy(spec: Spec, at: string): ValidationErrors {
  const rules = spec.successPolicy?.rules ?? [];
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(`${at}.rules`, missing)] : []),
    ...(rules.length > maxRules ? [tooMany(`${at}.rules`, rules.length, maxRules)] : []),
    ...findEach(rules, (rule, index) => validateSuccessRule(rule, spec.completions ?? 0, `${at}.rules[${index}]`)),
  ];
}

function validateSuccessRule(
  { succeededIndexes: indexes, succeededCount: count }: SuccessRule,
  completions: number,
  at: string,
) {
  const missing = indexes === undefined && count === undefined;
  const parsed = parseIndexes(indexes ?? '', completions);
  const found = 'wrong' in parsed ? 0 : parsed.count;
  return [
    ...(missing ? [required(at, 'at least one of succeededCount or succeededIndexes must be specified')] : []),
    ...((indexes?.length ?? 0) > maxIndexesLength ? [tooLong(`${at}.succeededIndexes`, maxIndexesLength)] : []),
    ...('wrong' in parsed
      ? [invalidValue(`${at}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${parsed.wrong}`)]
      : []),
    ...(count === undefined
      ? []
      : validateCount(count, { completions, found: indexes === undefined ? undefined : found, at })),
  ];
}

interface CountLimits {
  readonly completions: number;
  /** How many indexes are named, where some are. */
  readonly found: number | undefined;
  readonly at: string;
}

function validateCount(count: number, { completions, found, at }: CountLimits): ValidationErrors {
  const path = `${at}.succeededCount`;
  const atMost = (limit: number, what: string) =>
    invalidValue(path, count, `must be less than or equal to ${limit} (${what})`);
  return [
    ...notNegative(path, count),
    ...(count > completions ? [atMost(completions, 'the number of specified completions')] : []),
    ...(found !== undefined && count > found
      ? [atMost(found, 'the number of indexes in the specified succeededIndexes field')]
      : []),
  ];
}
