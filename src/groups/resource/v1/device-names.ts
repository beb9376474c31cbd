// How drivers, pools, attributes and taints of devices are named, and how many there may be.

import { duplicate, invalidValue, tooLong, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, oneOf, repeatsIn, requiredChecked, requiredOneOf, type ValidationErrors } from '../../rules.ts';
import type { deviceToleration } from './device-claim.ts';
import type { deviceTaint } from './resource-slice-type.ts';

const maxDriver = 63;
const maxPool = 253;
const maxId = 32;

export function validateDriver(driver: string | undefined, at: string): ValidationErrors {
  return [
    ...((driver ?? '').length > maxDriver ? [tooLong(at, maxDriver)] : []),
    ...requiredChecked(at, driver, (name) => checkSubdomain(name.toLowerCase())),
  ];
}

/** Names with slashes between them. */
export function validatePoolName(name: string | undefined, at: string): ValidationErrors {
  if (!name) return requiredChecked(at, name, checkSubdomain);
  return [
    ...(name.length > maxPool ? [tooLong(at, maxPool)] : []),
    ...name.split('/').flatMap((part) => checked(at, part, checkSubdomain)),
  ];
}

const identifierAdvice =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function validateIdentifier(id: string, at: string): ValidationErrors {
  return [
    ...(id.length > maxId ? [tooLong(at, maxId)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? [] : [invalidValue(at, id, identifierAdvice)]),
  ];
}

/** An attribute, or a domain, a slash and an attribute. */
export function validateAttributeName(name: string, at: string): ValidationErrors {
  const [first = '', second, ...more] = name.split('/');
  // compat: names of attributes with more than one slash are not looked into
  if (more.length > 0) return [];
  if (second === undefined) return validateIdentifier(first, at);
  return [
    ...(first === '' ? [invalidValue(at, '', 'the domain must not be empty')] : validateDriver(first, at)),
    ...(second === '' ? [invalidValue(at, '', 'the name must not be empty')] : validateIdentifier(second, at)),
  ];
}

export function validateFullAttributeName(name: string, at: string): ValidationErrors {
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...validateAttributeName(name, at), ...(name.includes('/') ? [] : [invalidValue(at, name, detail)])];
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

export function validateTaint({ key, value = '', effect }: Infer<typeof deviceTaint>, at: string): ValidationErrors {
  return [
    ...checked(`${at}.key`, key ?? '', checkQualifiedName),
    ...checked(`${at}.value`, value, checkLabelValue),
    ...requiredOneOf(`${at}.effect`, effect, effects),
  ];
}

export function validateToleration(toleration: Infer<typeof deviceToleration>, at: string): ValidationErrors {
  const { key = '', operator, value = '', effect = '' } = toleration;
  return [
    ...(key === '' ? [] : checked(`${at}.key`, key, checkQualifiedName)),
    ...(operator === 'Exists' && value !== ''
      ? [invalidValue(`${at}.value`, value, 'must be empty for operator `Exists`')]
      : []),
    ...(operator === 'Equal' ? checked(`${at}.value`, value, checkLabelValue) : []),
    ...requiredOneOf(`${at}.operator`, operator, ['Equal', 'Exists']),
    ...(effect === '' ? [] : oneOf(`${at}.effect`, effect, effects)),
  ];
}

const maxItems = 32;

/** Checks each; when there are too many, none is looked at. */
export function limited<T>(
  at: string,
  items: readonly T[],
  check: (item: T, at: string) => ValidationErrors,
  most = maxItems,
): ValidationErrors {
  if (items.length > most) return [tooMany(at, items.length, most)];
  return findEach(items, (item, index) => check(item, `${at}[${index}]`));
}

/** The same for a map, whose keys are names; what is wrong with a key is reported at the map. */
export function limitedMap<T>(
  at: string,
  entries: Readonly<Record<string, T>>,
  checkKey: (key: string, at: string) => ValidationErrors,
  most: number,
  check: (item: T, at: string) => ValidationErrors = () => [],
): ValidationErrors {
  const keys = Object.keys(entries);
  if (keys.length > most) return [tooMany(at, keys.length, most)];
  return findEach(keys, (key) => [...checkKey(key, at), ...check(entries[key] as T, `${at}[${shortened(key)}]`)]);
}

const longestKey = maxDriver + 1 + maxId;

/** Of longer keys the middle is left out. */
function shortened(key: string): string {
  if (key.length <= longestKey) return key;
  const left = longestKey - '...'.length;
  return `${key.slice(0, Math.ceil(left / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

/** The same for a list whose items are told apart by their keys. */
export function limitedSet<T>(
  at: string,
  items: readonly T[],
  check: (item: T, at: string) => ValidationErrors,
  keyOf: (item: T) => string,
  most?: number,
): ValidationErrors {
  if (items.length > (most ?? maxItems)) return limited(at, items, check, most);
  return [...limited(at, items, check, most), ...repeated(items.map(keyOf), (index) => `${at}[${index}]`)];
}

/** Names that are there before. */
export function repeated(names: readonly string[], place: (index: number) => string): ValidationErrors {
  const isRepeated = repeatsIn(names);
  return findEach(names, (name, index) => (isRepeated(index) ? [duplicate(place(index), name)] : []));
}

const maxConditions = 4;
const overlap = 'bindingFailureConditions must not overlap with bindingConditions';

/** A device that is prepared while a pod waits says what it waits for, and what has failed. */
export function validateBinding(
  { bindingConditions = [], bindingFailureConditions = [] }: BindingConditions,
  at: string,
): ValidationErrors {
  const qualified = (name: string, place: string) => checked(place, name, checkQualifiedName);
  const [ready, failed] = [`${at}.bindingConditions`, `${at}.bindingFailureConditions`];
  const needs = (place: string, one: string, other: string) =>
    invalidValue(place, null, `${one} are required to use ${other}`);
  const isRepeated = repeatsIn(bindingFailureConditions);
  const waited = new Set(bindingConditions);
  return [
    ...limited(ready, bindingConditions, qualified, maxConditions),
    ...limited(failed, bindingFailureConditions, qualified, maxConditions),
    ...repeated(bindingConditions, (index) => `${ready}[${index}]`),
    ...findEach(bindingFailureConditions, (name, index) => [
      ...(isRepeated(index) ? [duplicate(`${failed}[${index}]`, name)] : []),
      ...(waited.has(name) ? [invalidValue(`${failed}[${index}]`, name, overlap)] : []),
    ]),
    ...(bindingConditions.length === 0 && bindingFailureConditions.length > 0
      ? [needs(ready, 'bindingConditions', 'bindingFailureConditions')]
      : []),
    ...(bindingConditions.length > 0 && bindingFailureConditions.length === 0
      ? [needs(failed, 'bindingFailureConditions', 'bindingConditions')]
      : []),
  ];
}

interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}
