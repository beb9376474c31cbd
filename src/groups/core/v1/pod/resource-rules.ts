// What is wrong with requests and limits.

import type { Dialect } from '../../../../meta/dialect.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from '../../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../../meta/find-each.ts';
import { checkLabelName } from '../../../../meta/names.ts';
import { compareQuantities, formatQuantity, parseQuantity } from '../../../../meta/quantity.ts';
import { givenEmpty } from '../../../../schema/given-empty.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import { containerTotal, isPodLevelResource, type Resources } from './pod-resources.ts';
import type { PodSpec } from './pod-spec.ts';
import {
  mayOvercommit,
  tooManyResources,
  validateAmount,
  validateContainerResourceName,
  validateResourceName,
} from './resource-names.ts';
import type { resourceRequirements } from './resources.ts';

type ResourceRequirements = Infer<typeof resourceRequirements>;
type NameRule = (name: string, dialect: Dialect, at: string) => ValidationErrors;

const hugePages = 'hugepages-';

export function validateResources(
  given: ResourceRequirements | undefined,
  at: string,
  claims: ReadonlySet<string>,
  dialect: Dialect,
): ValidationErrors {
  return [
    ...validateAmounts(given, at, dialect, validateContainerResourceName),
    ...validateClaims(given, `${at}.claims`, claims),
  ];
}

/** Names, amounts, and that nothing more is asked for than is allowed. */
function validateAmounts(
  given: ResourceRequirements | undefined,
  at: string,
  dialect: Dialect,
  validateName: NameRule,
): ValidationErrors {
  if (!given) return [];
  const { limits = noAmounts, requests = noAmounts } = given;
  const wrong = [...tooManyResources(limits, `${at}.limits`), ...tooManyResources(requests, `${at}.requests`)];
  if (wrong.length > 0) return wrong;
  return [
    ...findEachEntry(limits, (name, text) => {
      const place = `${at}.limits[${name}]`;
      return [
        ...validateName(name, dialect, place),
        ...validateAmount(name, text, dialect, place),
        ...validatePages(name, text, place),
      ];
    }),
    ...findEachEntry(requests, (name, text) => {
      const place = `${at}.requests[${name}]`;
      return [
        ...validateName(name, dialect, place),
        ...validateAmount(name, text, dialect, place),
        ...validateAgainstLimit(name, text, limits, at, dialect),
        ...validatePages(name, text, place),
      ];
    }),
    ...validateHugePages(limits, requests, at),
  ];
}

const noAmounts: Resources = {};

/** Huge pages are given out whole. */
function validatePages(name: string, text: string, at: string): ValidationErrors {
  if (!name.startsWith(hugePages)) return [];
  const page = wholeUnits(name.slice(hugePages.length));
  const amount = wholeUnits(text);
  if (page !== undefined && page > 0n && amount !== undefined && amount % page === 0n) return [];
  return [invalidValue(at, text, `${text} is not positive integer multiple of ${name}`)];
}

/** In whole units, undefined where there is a fraction. */
function wholeUnits(text: string): bigint | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return undefined;
  const { digits, scale } = quantity;
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const unit = 10n ** BigInt(-scale);
  return digits % unit === 0n ? digits / unit : undefined;
}

function validateAgainstLimit(
  name: string,
  text: string,
  limits: Resources,
  at: string,
  dialect: Dialect,
): ValidationErrors {
  /** What is given out as a whole cannot be promised twice. */
  const isSharable = mayOvercommit(name, dialect);
  const request = parseQuantity(text);
  const limitText = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const limit = limitText === undefined ? undefined : parseQuantity(limitText);
  if (request === undefined) return [];
  if (limit === undefined) {
    if (isSharable) return [];
    return [required(`${at}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(request, limit);
  if (!isSharable && order !== 0)
    return [invalidValue(`${at}.requests`, text, `must be equal to ${name} limit of ${limitText}`)];
  if (order <= 0) return [];
  return [invalidValue(`${at}.requests`, text, `must be less than or equal to ${name} limit of ${limitText}`)];
}

function hasHugePages(amounts: Resources): boolean {
  for (const name in amounts) if (name.startsWith(hugePages)) return true;
  return false;
}

function validateHugePages(limits: Resources, requests: Resources, at: string): ValidationErrors {
  if (!hasHugePages(limits) && !hasHugePages(requests)) return [];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.includes('cpu') || names.includes('memory')) return [];
  return [forbiddenField(at, 'HugePages require cpu or memory')];
}

function validateClaims(
  given: ResourceRequirements | undefined,
  at: string,
  known: ReadonlySet<string>,
): ValidationErrors {
  const claims = given?.claims ?? [];
  if (claims.length === 0) return [];
  const seen = new Set<string>();
  const parts = new Map<string, number>();
  const among = knownClaims(known);
  return findEach(claims, ({ name = '', request = '' }, i) => {
    const here = `${at}[${i}]`;
    if (name === '') return [required(here)];
    const isWhole = seen.has(name);
    const key = request === '' ? name : `${name}/${request}`;
    const isRepeated = seen.has(key);
    const overlapping = request === '' && !isWhole ? (parts.get(name) ?? 0) : 0;
    seen.add(key);
    if (request !== '' && !isRepeated) parts.set(name, (parts.get(name) ?? 0) + 1);
    return [
      ...(isWhole || request === '' ? [] : checked(`${here}.request`, request, checkLabelName)),
      ...(isWhole || isRepeated ? [duplicate(here, isWhole ? name : key)] : []),
      ...Array.from({ length: overlapping }, () => duplicate(here, name)),
      ...(known.has(name) ? [] : [notFoundValue(here, name, among)]),
    ];
  });
}

/** A longer list is left out: it would stand in every validation error. */
const maxNamesShown = 256;

function knownClaims(known: ReadonlySet<string>): string {
  const names = [...known].filter((one) => one !== '').sort();
  const rule = 'must be one of the names in pod.spec.resourceClaims';
  if (names.length === 0) return `${rule} which is empty`;
  const list = names.join(', ');
  return list.length > maxNamesShown ? rule : `${rule}: ${list}`;
}

const podLevel = ['cpu', hugePages, 'memory'];

const validatePodLevelName: NameRule = (name, _, at) => {
  const wrong = validateResourceName(name, at);
  return wrong.length > 0 || isPodLevelResource(name) ? wrong : [notSupported(at, name, podLevel)];
};

/** Resources that a pod states for itself: enough for its containers together, and no less than each may use. */
export function validatePodResources(
  spec: PodSpec,
  at: string,
  claims: ReadonlySet<string>,
  dialect: Dialect,
): ValidationErrors {
  const { resources } = spec;
  if (resources === undefined) return [];
  if (spec.os?.name === 'windows') return [forbiddenField(at, 'may not be set for a windows pod')];
  return [
    ...(resources.claims === undefined && givenEmpty(resources, 'claims') === undefined
      ? []
      : [forbiddenField(`${at}.claims`, 'claims may not be set for Resources at pod-level')]),
    ...validateAmounts(resources, at, dialect, validatePodLevelName),
    ...validateClaims(resources, `${at}.claims`, claims),
    ...tooSmall(spec, 'requests', resources.requests ?? {}, `${at}.requests`),
    ...tooSmall(spec, 'limits', hugePagesIn(resources.limits ?? {}), `${at}.limits`),
    ...tooLarge(spec, resources.limits ?? {}, at),
  ];
}

function tooSmall(spec: PodSpec, part: 'requests' | 'limits', given: Resources, at: string): ValidationErrors {
  return findEach([...containerTotal(spec, part)], ([name, total]) => {
    const own = Object.hasOwn(given, name) ? parseQuantity(given[name] as string) : undefined;
    if (own === undefined || compareQuantities(total, own) <= 0) return [];
    const detail = `must be greater than or equal to aggregate container ${part} of ${formatQuantity(total)}`;
    return [invalidValue(`${at}[${name}]`, given[name], detail)];
  });
}

/** Huge pages cannot be promised twice: containers together may use no more of them than the pod. */
const hugePagesIn = (limits: Resources): Resources =>
  Object.fromEntries(Object.entries(limits).filter(([name]) => name.startsWith(hugePages)));

function tooLarge({ containers }: PodSpec, limits: Resources, at: string): ValidationErrors {
  return findEach(containers ?? [], ({ resources }, i) =>
    findEach(Object.entries(resources?.limits ?? {}), ([name, text]) => {
      const most = Object.hasOwn(limits, name) ? parseQuantity(limits[name] as string) : undefined;
      const limit = parseQuantity(text);
      if (most === undefined || limit === undefined || compareQuantities(limit, most) <= 0) return [];
      const detail = `must be less than or equal to pod limits of ${limits[name]}`;
      return [invalidValue(`${at}.containers[${i}][${name}].limits`, text, detail)];
    }),
  );
}
