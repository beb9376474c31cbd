// What is wrong with the rules that say where a pod may run.

import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../../meta/names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import { type LabelSelector, validateLabelSelector } from '../../../meta/v1/label-selector.ts';
import { checked, oneOf, repeatsIn, type ValidationErrors } from '../../../rules.ts';
import type { nodeSelector, nodeSelectorRequirement, nodeSelectorTerm } from '../selectors.ts';
import type { affinity, podAffinity, podAffinityTerm, toleration, topologySpreadConstraint } from './affinity.ts';

type Affinity = Infer<typeof affinity>;
type PodAffinity = Infer<typeof podAffinity>;
type PodAffinityTerm = Infer<typeof podAffinityTerm>;
type Toleration = Infer<typeof toleration>;
type TopologySpreadConstraint = Infer<typeof topologySpreadConstraint>;
type NodeSelector = Infer<typeof nodeSelector>;
type NodeSelectorTerm = Infer<typeof nodeSelectorTerm>;
type NodeSelectorRequirement = Infer<typeof nodeSelectorRequirement>;

const required_ = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(given: Affinity | undefined, at: string): ValidationErrors {
  if (given === undefined) return [];
  const { nodeAffinity, podAffinity: near, podAntiAffinity: far } = given;
  const here = `${at}.nodeAffinity`;
  return [
    ...(nodeAffinity?.[required_] ? validateNodeSelector(nodeAffinity[required_], `${here}.${required_}`) : []),
    ...findEach(nodeAffinity?.[preferred] ?? [], ({ weight, preference }, i) => [
      ...validateWeight(weight, `${here}.${preferred}[${i}].weight`),
      ...validateTerm(preference ?? {}, `${here}.${preferred}[${i}].preference`, anyValue),
    ]),
    ...validatePodAffinity(near, `${at}.podAffinity`),
    ...validatePodAffinity(far, `${at}.podAntiAffinity`),
  ];
}

const validateWeight = (weight = 0, at: string): ValidationErrors =>
  weight >= 1 && weight <= 100 ? [] : [invalidValue(at, weight, 'must be in the range 1-100')];

function validateNodeSelector({ nodeSelectorTerms: terms }: NodeSelector, at: string): ValidationErrors {
  const here = `${at}.nodeSelectorTerms`;
  if ((terms ?? []).length === 0) return [required(here, 'must have at least one node selector term')];
  return findEach(terms ?? [], (term, i) => validateTerm(term, `${here}[${i}]`));
}

type ValueCheck = (value: string) => readonly string[];

/** What is only preferred may ask for values that no node can have. */
const anyValue: ValueCheck = () => [];

function validateTerm(term: NodeSelectorTerm, at: string, checkValue: ValueCheck = checkLabelValue): ValidationErrors {
  const { matchExpressions = [], matchFields = [] } = term;
  return [
    ...findEach(matchExpressions, (one, i) => validateRequirement(one, `${at}.matchExpressions[${i}]`, checkValue)),
    ...findEach(matchFields, (one, i) => validateFieldRequirement(one, `${at}.matchFields[${i}]`)),
  ];
}

function validateRequirement(
  { key = '', operator = '', values = [] }: NodeSelectorRequirement,
  at: string,
  checkValue: ValueCheck,
): ValidationErrors {
  const field = `${at}.values`;
  return [
    ...requirementValues(operator, values, field, `${at}.operator`),
    ...checked(`${at}.key`, key, checkQualifiedName),
    ...findEach(values, (value, i) => checked(`${field}[${i}]`, value, checkValue)),
  ];
}

function requirementValues(
  operator: string,
  values: readonly string[],
  at: string,
  operatorAt: string,
): ValidationErrors {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(operatorAt, operator, 'not a valid selector operator')];
  }
}

function validateFieldRequirement(
  { key = '', operator = '', values = [] }: NodeSelectorRequirement,
  at: string,
): ValidationErrors {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'));
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${at}.values`, detail));
  }
  if (key !== 'metadata.name') return [...errors, invalidValue(`${at}.key`, key, 'not a valid field selector key')];
  return [...errors, ...findEach(values, (value, i) => checked(`${at}.values[${i}]`, value, checkSubdomain))];
}

function validatePodAffinity(given: PodAffinity | undefined, at: string): ValidationErrors {
  if (given === undefined) return [];
  return [
    ...findEach(given[required_] ?? [], (term, i) => validateAffinityTerm(term, `${at}.${required_}[${i}]`)),
    ...findEach(given[preferred] ?? [], ({ weight, podAffinityTerm: term }, i) => [
      ...validateWeight(weight, `${at}.${preferred}[${i}].weight`),
      ...validateAffinityTerm(term ?? {}, `${at}.${preferred}[${i}].podAffinityTerm`),
    ]),
  ];
}

function validateAffinityTerm(term: PodAffinityTerm, at: string): ValidationErrors {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = '' } = term;
  return [
    ...(labelSelector ? validateLabelSelector(labelSelector, `${at}.labelSelector`) : []),
    ...(namespaceSelector ? validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`) : []),
    ...findEach(namespaces, (name) => checked(`${at}.namespace`, name, checkLabelName)),
    ...validateMatchKeys(term, at),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...checked(`${at}.topologyKey`, topologyKey, checkQualifiedName),
  ];
}

function validateMatchKeys(term: PodAffinityTerm, at: string): ValidationErrors {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  const mismatching = new Set(mismatchLabelKeys);
  const both = matchLabelKeys.filter((key) => mismatching.has(key));
  const positions = firstPositions(both.length === 0 ? [] : matchLabelKeys);
  return [
    ...validateLabelKeys(matchLabelKeys, labelSelector, `${at}.matchLabelKeys`),
    ...validateLabelKeys(mismatchLabelKeys, labelSelector, `${at}.mismatchLabelKeys`),
    // compat: reported at the term, as if that were the list
    ...selectedTwice(matchLabelKeys, labelSelector, at),
    ...findEach(both, (key) => {
      const place = `${at}.matchLabelKeys[${positions.get(key)}]`;
      return [invalidValue(place, key, 'exists in both matchLabelKeys and mismatchLabelKeys')];
    }),
  ];
}

/** Where each key stands first. */
function firstPositions(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, index) => [key, index] as const).reverse());
}

/** A key that the selector speaks of as well, besides what was written out for it when the pod was made. */
function selectedTwice(keys: readonly string[], selector: LabelSelector | undefined, at: string): ValidationErrors {
  if (keys.length === 0) return [];
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  const lastPositions = new Map(keys.map((key, index) => [key, index]));
  return findEach(selector?.matchExpressions ?? [], ({ key = '' }) => {
    const twice = seen.has(key) && lastPositions.has(key);
    seen.add(key);
    const detail = 'exists in both matchLabelKeys and labelSelector';
    return twice ? [invalidValue(`${at}[${lastPositions.get(key)}]`, key, detail)] : [];
  });
}

function validateLabelKeys(keys: readonly string[], selector: LabelSelector | undefined, at: string): ValidationErrors {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbiddenField(at, 'must not be specified when labelSelector is not set')];
  return findEach(keys, (key, i) => checked(`${at}[${i}]`, key, checkQualifiedName));
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const comparisons = ['Lt', 'Gt'];

export function validateTolerations(tolerations: readonly Toleration[], at: string): ValidationErrors {
  return findEach(tolerations, (one, i) => validateToleration(one, `${at}[${i}]`));
}

function validateToleration(one: Toleration, at: string): ValidationErrors {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = one;
  const errors: FieldError[] = key === '' ? [] : [...checked(`${at}.key`, key, checkQualifiedName)];
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${at}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  const wrongValue = checkLabelValue(value).join(';');
  if (operator === 'Equal' || operator === '')
    errors.push(...(wrongValue === '' ? [] : [invalidValue(`${at}.operator`, value, wrongValue)]));
  // compat: operators of a feature that is off are refused, and named as supported
  else if (comparisons.includes(operator))
    errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists', ...comparisons]));
  else if (operator !== 'Exists') errors.push(...oneOf(`${at}.operator`, operator, ['Equal', 'Exists']));
  else if (value !== '')
    errors.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  if (effect !== '') errors.push(...oneOf(`${at}.effect`, effect, effects));
  return errors;
}

/** The effect of a taint, which there must be. */
export const validateTaintEffect = (effect: string | undefined, at: string): ValidationErrors =>
  effect ? oneOf(at, effect, effects) : [required(at)];

/** Of two constraints that say the same, the first is reported. */
export function validateTopologySpread(constraints: readonly TopologySpreadConstraint[], at: string): ValidationErrors {
  const pairs = constraints.map(
    ({ topologyKey = '', whenUnsatisfiable = '' }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  const isRepeated = repeatsIn(pairs.toReversed());
  return findEach(constraints, (one, i) => {
    const pair = pairs[i] as string;
    return [
      ...validateConstraint(one, `${at}[${i}]`),
      ...(isRepeated(pairs.length - 1 - i) ? [duplicate(`${at}[${i}].{topologyKey, whenUnsatisfiable}`, pair)] : []),
    ];
  });
}

function validateConstraint(one: TopologySpreadConstraint, at: string): ValidationErrors {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', labelSelector, matchLabelKeys = [] } = one;
  return [
    ...(maxSkew > 0 ? [] : [invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...oneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']),
    ...validateMinDomains(one, `${at}.minDomains`),
    ...optional(`${at}.nodeAffinityPolicy`, one.nodeAffinityPolicy),
    ...optional(`${at}.nodeTaintsPolicy`, one.nodeTaintsPolicy),
    ...(matchLabelKeys.length > 0 && labelSelector === undefined
      ? [forbiddenField(`${at}.matchLabelKeys`, 'must not be specified when labelSelector is not set')]
      : []),
    ...findEach(matchLabelKeys, (key, i) => checked(`${at}.matchLabelKeys[${i}]`, key, checkQualifiedName)),
    // compat: reported at the constraint, as if that were the list
    ...selectedTwice(matchLabelKeys, labelSelector, at),
    ...(labelSelector ? validateLabelSelector(labelSelector, `${at}.labelSelector`) : []),
  ];
}

const optional = (at: string, value: string | undefined): ValidationErrors =>
  value === undefined ? [] : oneOf(at, value, ['Honor', 'Ignore']);

function validateMinDomains({ minDomains, whenUnsatisfiable }: TopologySpreadConstraint, at: string): ValidationErrors {
  if (minDomains === undefined) return [];
  return [
    ...(minDomains > 0 ? [] : [invalidValue(at, minDomains, 'must be greater than zero')]),
    ...(whenUnsatisfiable === 'DoNotSchedule'
      ? []
      : [
          invalidValue(
            at,
            minDomains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable ?? ''}`,
          ),
        ]),
  ];
}
