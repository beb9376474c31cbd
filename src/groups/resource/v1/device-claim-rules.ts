// What a claim asks for: defaults and what must hold. Claims and their templates share it.

import { isJsonObject } from '../../../base/json/json.ts';
import { invalidValue, notSupported, required, tooLong, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, requiredChecked, type ValidationErrors } from '../../rules.ts';
import type {
  deviceClaimConfiguration,
  deviceConstraint,
  deviceRequest,
  deviceSelector,
  exactDeviceRequest,
  resourceClaimSpec,
} from './device-claim.ts';
import { limited, repeated, validateDriver, validateFullAttributeName, validateToleration } from './device-names.ts';

export type ClaimSpec = Infer<typeof resourceClaimSpec>;
type Request = Infer<typeof deviceRequest>;
type Exactly = Infer<typeof exactDeviceRequest>;
type Selector = Infer<typeof deviceSelector>;
type Constraint = Infer<typeof deviceConstraint>;
type Configuration = Pick<Infer<typeof deviceClaimConfiguration>, 'opaque' | 'requests'>;

export const maxEntries = 32;
const maxAlternatives = 8;
/** In bytes. */
export const maxExpression = 10 * 1024;
const maxRawBytes = 10 * 1024;

export function defaultClaimSpec(spec: ClaimSpec): ClaimSpec {
  const { devices } = spec;
  if (!devices?.requests) return spec;
  return { ...spec, devices: { ...devices, requests: devices.requests.map(defaultRequest) } };
}

function defaultRequest(request: Request): Request {
  const { exactly, firstAvailable } = request;
  return {
    ...request,
    ...(exactly ? { exactly: defaultExactly(exactly) } : {}),
    ...(firstAvailable ? { firstAvailable: firstAvailable.map(defaultExactly) } : {}),
  };
}

/** One device, unless more are asked for. */
export function defaultExactly<T extends Pick<Exactly, 'allocationMode' | 'count' | 'tolerations'>>(wish: T): T {
  const allocationMode = wish.allocationMode || 'ExactCount';
  const count = allocationMode === 'ExactCount' ? wish.count || 1 : wish.count;
  const { tolerations } = wish;
  return {
    ...wish,
    allocationMode,
    ...(count === undefined ? {} : { count }),
    ...(tolerations ? { tolerations: tolerations.map((one) => ({ ...one, operator: one.operator || 'Equal' })) } : {}),
  };
}

export function validateClaimSpec({ devices = {} }: ClaimSpec, at: string): ValidationErrors {
  const requests = devices.requests ?? [];
  const constraints = devices.constraints ?? [];
  const config = devices.config ?? [];
  const names = requestNames(requests);
  return [
    ...limited(`${at}.devices.requests`, requests, validateRequest),
    ...uniqueNames(requests, `${at}.devices.requests`),
    ...limited(`${at}.devices.constraints`, constraints, (one, where) => validateConstraint(one, names, where)),
    ...limited(`${at}.devices.config`, config, (one, where) => validateConfiguration(one, names, where)),
  ];
}

function uniqueNames(items: readonly { readonly name?: string }[], at: string): ValidationErrors {
  return repeated(
    items.map(({ name = '' }) => name),
    (index) => `${at}[${index}]`,
  );
}

/** Requests, and alternatives within them as `request/alternative`. */
export function requestNames(requests: readonly Request[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name = '', firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
    ]),
  );
}

function validateRequest(request: Request, at: string): ValidationErrors {
  return [...checked(`${at}.name`, request.name ?? '', checkLabelName), ...validateWishes(request, at)];
}

/** What is asked for, in one of two ways. */
function validateWishes({ exactly, firstAvailable = [] }: Request, at: string): ValidationErrors {
  const one = 'exactly one of `exactly` or `firstAvailable` is required';
  if (firstAvailable.length === 0) return exactly ? validateExactly(exactly, `${at}.exactly`) : [required(at, one)];
  if (exactly) return [invalidValue(at, null, `${one}, but multiple fields are set`)];
  const place = `${at}.firstAvailable`;
  if (firstAvailable.length > maxAlternatives) return [tooMany(place, firstAvailable.length, maxAlternatives)];
  return [
    ...findEach(firstAvailable, (wish, index) => [
      ...checked(`${place}[${index}].name`, wish.name ?? '', checkLabelName),
      ...validateExactly(wish, `${place}[${index}]`),
    ]),
    ...uniqueNames(firstAvailable, place),
  ];
}

type Wish = Pick<Exactly, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count' | 'tolerations'>;

function validateExactly(wish: Wish, at: string): ValidationErrors {
  return [
    ...requiredChecked(`${at}.deviceClassName`, wish.deviceClassName, checkSubdomain),
    ...limited(`${at}.selectors`, wish.selectors ?? [], validateSelector),
    ...validateCount(wish, at),
    ...findEach(wish.tolerations ?? [], (one, index) => validateToleration(one, `${at}.tolerations[${index}]`)),
  ];
}

function validateCount({ allocationMode: mode = '', count = 0 }: Wish, at: string): ValidationErrors {
  switch (mode) {
    case 'All':
      return count === 0
        ? []
        : [invalidValue(`${at}.count`, count, "must not be specified when allocationMode is 'All'")];
    case 'ExactCount':
      return count > 0 ? [] : [invalidValue(`${at}.count`, count, 'must be greater than zero')];
    default:
      return [notSupported(`${at}.allocationMode`, mode, ['All', 'ExactCount'])];
  }
}

export function validateSelector({ cel }: Selector, at: string): ValidationErrors {
  if (!cel) return [required(`${at}.cel`)];
  const isLong = Buffer.byteLength(cel.expression ?? '') > maxExpression;
  return isLong ? [tooLong(`${at}.cel.expression`, maxExpression)] : [];
}

const unknownName =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** Requests of the same claim, none twice. */
export function validateRequestNames(
  requests: readonly string[],
  names: ReadonlySet<string>,
  at: string,
  place = (index: number) => `${at}[${index}]`,
): ValidationErrors {
  if (requests.length > maxEntries) return [tooMany(at, requests.length, maxEntries)];
  return [
    ...findEach(requests, (name, index) => validateRequestName(name, names, place(index))),
    ...repeated(requests, place),
  ];
}

function validateRequestName(name: string, names: ReadonlySet<string>, at: string): ValidationErrors {
  const steps = name.split('/');
  if (steps.length > 2) return [invalidValue(at, name, unknownName)];
  return [
    ...findEach(steps, (step) => checked(at, step, checkLabelName)),
    ...(names.has(name) ? [] : [invalidValue(at, name, unknownName)]),
  ];
}

const oneAttribute = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';

function validateConstraint(one: Constraint, names: ReadonlySet<string>, at: string): ValidationErrors {
  const { matchAttribute: same, distinctAttribute: other } = one;
  return [
    ...validateRequestNames(one.requests ?? [], names, `${at}.requests`),
    ...(same === undefined && other === undefined ? [required(at, oneAttribute)] : []),
    ...(same === undefined ? [] : validateFullAttributeName(same, `${at}.matchAttribute`)),
    ...(other === undefined || same !== undefined ? [] : validateFullAttributeName(other, `${at}.distinctAttribute`)),
  ];
}

function validateConfiguration(one: Configuration, names: ReadonlySet<string>, at: string): ValidationErrors {
  return [...validateRequestNames(one.requests ?? [], names, `${at}.requests`), ...validateOpaque(one, at)];
}

/** Settings that only the driver understands. */
export function validateOpaque({ opaque }: Pick<Configuration, 'opaque'>, at: string): ValidationErrors {
  if (!opaque) return [required(`${at}.opaque`)];
  const { driver, parameters } = opaque;
  return [...validateDriver(driver, `${at}.opaque.driver`), ...validateRaw(parameters, `${at}.opaque.parameters`)];
}

/** A JSON object of any content, within bounds. */
export function validateRaw(value: unknown, at: string): ValidationErrors {
  if (value === undefined || value === null) return [required(at)];
  if (Buffer.byteLength(JSON.stringify(value)) > maxRawBytes) return [tooLong(at, maxRawBytes)];
  return isJsonObject(value) ? [] : [invalidValue(at, '<value omitted>', 'must be a valid JSON object')];
}
