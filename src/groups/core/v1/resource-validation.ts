// What is wrong with requests and limits.

import { duplicate, forbiddenField, invalidValue, notFoundValue, required } from '../../../meta/field-errors.ts';
import { checkQualifiedName } from '../../../meta/names.ts';
import { compareQuantities, parseQuantity, type Quantity } from '../../../meta/quantity.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, type Findings } from '../../rules.ts';
import { isPodLevelResource, type Resources } from './pod-resources.ts';
import type { resourceRequirements } from './resources.ts';

export type ResourceRequirements = Infer<typeof resourceRequirements>;

const hugePages = 'hugepages-';
const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isStandard = (name: string) => standard.has(name) || name.startsWith(hugePages);
const isExtended = (name: string) => name.includes('/') && !name.startsWith('requests.');
/** What is given out as a whole cannot be promised twice. */
const isSharable = (name: string) => standard.has(name);

export function validateResources(
  given: ResourceRequirements | undefined,
  at: string,
  claims: ReadonlySet<string>,
): Findings {
  const { limits = {}, requests = {} } = given ?? {};
  return [
    ...validateAmounts(limits, `${at}.limits`),
    ...validateAmounts(requests, `${at}.requests`),
    ...Object.entries(requests).flatMap(([name, request]) => validateAgainstLimit(name, request, limits, at)),
    ...validateHugePages(limits, requests, at),
    ...validateClaims(given, `${at}.claims`, claims),
  ];
}

function validateAmounts(amounts: Resources, at: string): Findings {
  return Object.entries(amounts).flatMap(([name, text]) => [
    ...validateResourceName(name, `${at}[${name}]`),
    ...validateAmount(name, text, `${at}[${name}]`),
  ]);
}

function validateResourceName(name: string, at: string): Findings {
  const wrong = checked(at, name, checkQualifiedName);
  if (wrong.length > 0 || isStandard(name)) return wrong;
  if (!name.includes('/')) return [invalidValue(at, name, 'must be a standard resource for containers')];
  return isExtended(name) ? [] : [invalidValue(at, name, "doesn't follow extended resource name standard")];
}

export function validateAmount(name: string, text: string, at: string): Findings {
  const amount = parseQuantity(text);
  if (amount === undefined) return [];
  if (amount.digits < 0n) return [invalidValue(at, text, 'must be greater than or equal to 0')];
  const whole = isSharable(name) || isWhole(amount);
  return whole ? [] : [invalidValue(at, text, 'must be an integer')];
}

const isWhole = ({ digits, scale }: Quantity) => scale >= 0 || digits % 10n ** BigInt(-scale) === 0n;

function validateAgainstLimit(name: string, text: string, limits: Resources, at: string): Findings {
  const request = parseQuantity(text);
  const limitText = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const limit = limitText === undefined ? undefined : parseQuantity(limitText);
  if (request === undefined) return [];
  if (limit === undefined) {
    if (isSharable(name)) return [];
    return [required(`${at}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(request, limit);
  if (!isSharable(name) && order !== 0)
    return [invalidValue(`${at}.requests`, text, `must be equal to ${name} limit of ${limitText}`)];
  if (order <= 0) return [];
  return [invalidValue(`${at}.requests`, text, `must be less than or equal to ${name} limit of ${limitText}`)];
}

function validateHugePages(limits: Resources, requests: Resources, at: string): Findings {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (!names.some((name) => name.startsWith(hugePages))) return [];
  if (names.includes('cpu') || names.includes('memory')) return [];
  return [forbiddenField(at, 'HugePages require cpu or memory')];
}

function validateClaims(given: ResourceRequirements | undefined, at: string, known: ReadonlySet<string>): Findings {
  const seen = new Set<string>();
  return (given?.claims ?? []).flatMap(({ name = '', request = '' }, i) => {
    const key = `${name}/${request}`;
    const repeated = seen.has(key) || (request !== '' && seen.has(`${name}/`));
    seen.add(key);
    return [
      ...(name === '' ? [required(`${at}[${i}]`)] : []),
      ...(repeated ? [duplicate(`${at}[${i}]`, name)] : []),
      ...(name !== '' && !known.has(name) ? [notFoundValue(`${at}[${i}]`, name)] : []),
    ];
  });
}

/** Resources that a pod states for itself. */
export function validatePodResources(given: ResourceRequirements | undefined, at: string): Findings {
  if (given === undefined) return [];
  const { limits = {}, requests = {} } = given;
  const unsupported = (['limits', 'requests'] as const).flatMap((part) =>
    Object.keys(given[part] ?? {})
      .filter((name) => !isPodLevelResource(name))
      .map((name) => forbiddenField(`${at}.${part}[${name}]`, 'not supported at the level of a pod')),
  );
  return [
    ...unsupported,
    ...validateAmounts(limits, `${at}.limits`),
    ...validateAmounts(requests, `${at}.requests`),
    ...Object.entries(requests).flatMap(([name, request]) => validateAgainstLimit(name, request, limits, at)),
    ...((given.claims ?? []).length > 0
      ? [forbiddenField(`${at}.claims`, 'claims cannot be set for Resources at pod-level')]
      : []),
  ];
}
