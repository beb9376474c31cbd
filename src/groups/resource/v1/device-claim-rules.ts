// What a claim asks for: defaults and what must hold. Claims and their templates share it.

import { isJsonObject } from '../../../base/json.ts';
import { duplicate, invalidValue, notSupported, required, tooLong, tooMany } from '../../../meta/field-errors.ts';
import { checkLabelName, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { type Findings, requiredChecked } from '../../rules.ts';
import type {
  deviceClaimConfiguration,
  deviceConstraint,
  deviceRequest,
  deviceSelector,
  exactDeviceRequest,
  resourceClaimSpec,
} from './device-claim.ts';

export type ClaimSpec = Infer<typeof resourceClaimSpec>;
type Request = Infer<typeof deviceRequest>;
type Exactly = Infer<typeof exactDeviceRequest>;
type Selector = Infer<typeof deviceSelector>;
type Constraint = Infer<typeof deviceConstraint>;
type Configuration = Pick<Infer<typeof deviceClaimConfiguration>, 'opaque' | 'requests'>;

const maxEntries = 32;
const maxAlternatives = 8;
const maxExpression = 10 * 1024;

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

export function validateClaimSpec({ devices = {} }: ClaimSpec, at: string): Findings {
  const requests = devices.requests ?? [];
  const constraints = devices.constraints ?? [];
  const config = devices.config ?? [];
  const names = requestNames(requests);
  return [
    ...limited(`${at}.devices.requests`, requests, validateRequest),
    ...unique(requests, `${at}.devices.requests`),
    ...limited(`${at}.devices.constraints`, constraints, (one, where) => validateConstraint(one, names, where)),
    ...limited(`${at}.devices.config`, config, (one, where) => validateConfiguration(one, names, where)),
  ];
}

/** Checks each, and that there are not too many. */
export function limited<T>(at: string, items: readonly T[], check: (item: T, at: string) => Findings): Findings {
  return [
    ...(items.length > maxEntries ? [tooMany(at, items.length, maxEntries)] : []),
    ...items.flatMap((item, index) => check(item, `${at}[${index}]`)),
  ];
}

function unique(items: readonly { readonly name?: string }[], at: string): Findings {
  const seen = new Set<string>();
  return items.flatMap(({ name = '' }, index) => {
    const again = seen.has(name);
    seen.add(name);
    return again ? [duplicate(`${at}[${index}].name`, name)] : [];
  });
}

/** Requests, and alternatives within them as `request/alternative`. */
function requestNames(requests: readonly Request[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name = '', firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
    ]),
  );
}

function validateRequest(request: Request, at: string): Findings {
  const { exactly, firstAvailable = [] } = request;
  const both = exactly !== undefined && firstAvailable.length > 0;
  const neither = exactly === undefined && firstAvailable.length === 0;
  const one = 'exactly one of `exactly` or `firstAvailable` is required';
  return [
    ...requiredChecked(`${at}.name`, request.name, checkLabelName),
    ...(neither ? [required(at, one)] : []),
    ...(both ? [invalidValue(at, null, `${one}, but multiple fields are set`)] : []),
    ...(exactly ? validateExactly(exactly, `${at}.exactly`) : []),
    ...(firstAvailable.length > maxAlternatives
      ? [tooMany(`${at}.firstAvailable`, firstAvailable.length, maxAlternatives)]
      : []),
    ...firstAvailable.flatMap((wish, index) => [
      ...requiredChecked(`${at}.firstAvailable[${index}].name`, wish.name, checkLabelName),
      ...validateExactly(wish, `${at}.firstAvailable[${index}]`),
    ]),
    ...unique(firstAvailable, `${at}.firstAvailable`),
  ];
}

type Wish = Pick<Exactly, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count'>;

function validateExactly(wish: Wish, at: string): Findings {
  return [
    ...requiredChecked(`${at}.deviceClassName`, wish.deviceClassName, checkSubdomain),
    ...limited(`${at}.selectors`, wish.selectors ?? [], validateSelector),
    ...validateCount(wish, at),
  ];
}

function validateCount({ allocationMode: mode = '', count = 0 }: Wish, at: string): Findings {
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

export function validateSelector({ cel }: Selector, at: string): Findings {
  if (!cel) return [required(`${at}.cel`)];
  const { expression = '' } = cel;
  if (expression === '') return [required(`${at}.cel.expression`)];
  return expression.length > maxExpression ? [tooLong(`${at}.cel.expression`, maxExpression)] : [];
}

function validateNames(requests: readonly string[], names: ReadonlySet<string>, at: string): Findings {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  return requests.flatMap((name, index) => (names.has(name) ? [] : [invalidValue(`${at}[${index}]`, name, detail)]));
}

function validateConstraint(one: Constraint, names: ReadonlySet<string>, at: string): Findings {
  const attribute = one.matchAttribute ?? one.distinctAttribute;
  const field = one.matchAttribute === undefined && one.distinctAttribute !== undefined ? 'distinct' : 'match';
  return [
    ...validateNames(one.requests ?? [], names, `${at}.requests`),
    ...(attribute === undefined
      ? [required(`${at}.matchAttribute`)]
      : requiredChecked(`${at}.${field}Attribute`, attribute, checkQualifiedName)),
  ];
}

function validateConfiguration(one: Configuration, names: ReadonlySet<string>, at: string): Findings {
  return [...validateNames(one.requests ?? [], names, `${at}.requests`), ...validateOpaque(one, at)];
}

/** Settings that only the driver understands. */
export function validateOpaque({ opaque }: Pick<Configuration, 'opaque'>, at: string): Findings {
  if (!opaque) return [required(`${at}.opaque`)];
  const { driver, parameters } = opaque;
  const where = `${at}.opaque.parameters`;
  const isSet = parameters !== undefined && parameters !== null;
  return [
    ...validateDriver(driver, `${at}.opaque.driver`),
    ...(isSet ? [] : [required(where)]),
    ...(isSet && !isJsonObject(parameters)
      ? [invalidValue(where, '<value omitted>', 'must be a valid JSON object')]
      : []),
  ];
}

const maxDriver = 63;

export function validateDriver(driver: string | undefined, at: string): Findings {
  return [
    ...((driver ?? '').length > maxDriver ? [tooLong(at, maxDriver)] : []),
    ...requiredChecked(at, driver, checkSubdomain),
  ];
}
