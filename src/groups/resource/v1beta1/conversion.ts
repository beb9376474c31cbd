// The older version has the fields of an exact request in the request itself, and those of a device under `basic`.

import type { ApiObject } from '../../../meta/object.ts';
import type { Conversion } from '../../../schema/resource.ts';
import { defaultExactly } from '../v1/device-claim-rules.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Claim extends Fields {
  readonly devices?: Fields & { readonly requests?: readonly Fields[] | null };
}

/** Changes each request of what a claim asks for. */
function withRequests(spec: Claim | undefined, change: (request: Fields) => Fields): Claim {
  const { devices } = spec ?? {};
  if (!devices?.requests) return spec ?? {};
  return { ...spec, devices: { ...devices, requests: devices.requests.map(change) } };
}

function nestRequest({ name, firstAvailable, ...exactly }: Fields): Fields {
  const nested = Object.keys(exactly).filter((key) => exactly[key] !== '').length > 0;
  return {
    name,
    ...(nested ? { exactly } : {}),
    ...(firstAvailable === undefined ? {} : { firstAvailable }),
  };
}

function flattenRequest({ name, exactly, firstAvailable }: Fields): Fields {
  return {
    name,
    deviceClassName: '',
    ...(exactly as Fields | undefined),
    ...(firstAvailable === undefined ? {} : { firstAvailable }),
  };
}

const specOf = (object: ApiObject) => object['spec'] as Claim | undefined;

export const claimConversion: Conversion = {
  toStorage: (object) => ({ ...object, spec: withRequests(specOf(object), nestRequest) }),
  fromStorage: (object) => ({ ...object, spec: withRequests(specOf(object), flattenRequest) }),
};

/** A template has a claim's spec inside its own. */
function withInner(object: ApiObject, change: (request: Fields) => Fields): ApiObject {
  const spec = (object['spec'] ?? {}) as { readonly spec?: Claim };
  return { ...object, spec: { ...spec, spec: withRequests(spec.spec, change) } };
}

export const templateConversion: Conversion = {
  toStorage: (object) => withInner(object, nestRequest),
  fromStorage: (object) => withInner(object, flattenRequest),
};

interface Slice extends Fields {
  readonly devices?: readonly Fields[] | null;
}

const withDevices = (spec: Slice, change: (device: Fields) => Fields): Slice =>
  spec.devices ? { ...spec, devices: spec.devices.map(change) } : spec;

const liftBasic = ({ name, basic }: Fields): Fields => ({ name, ...(basic as Fields | undefined) });
const sinkBasic = ({ name, ...basic }: Fields): Fields => ({ name, basic });

export const sliceConversion: Conversion = {
  toStorage: (object) => ({ ...object, spec: withDevices((object['spec'] ?? {}) as Slice, liftBasic) }),
  fromStorage: (object) => ({ ...object, spec: withDevices((object['spec'] ?? {}) as Slice, sinkBasic) }),
};

/** Defaults of requests as this version writes them. */
export function defaultRequests(spec: Fields | undefined): Fields {
  return withRequests(spec as Claim | undefined, (request) => {
    const alternatives = request['firstAvailable'] as readonly Fields[] | undefined;
    if (!alternatives?.length) return defaultExactly(request);
    return { ...request, firstAvailable: alternatives.map((one) => defaultExactly(one)) };
  });
}
