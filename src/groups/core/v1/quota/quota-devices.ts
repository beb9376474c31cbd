// What claims of devices count for in a quota: for each class the most devices that they may be given.

import { apiGroup, type Dialect } from '../../../../meta/dialect.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { parseQuantity, type Quantity } from '../../../../meta/quantity.ts';
import { addUsage, type Usage } from './quota-usage.ts';

/** No claim is given more. */
const maxDevices = 32;

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

/** What the oldest version says of the one device itself is said of `exactly` in later ones. */
interface Request extends DeviceRequest {
  readonly exactly?: DeviceRequest;
  readonly firstAvailable?: readonly DeviceRequest[];
}

interface DeviceClaim extends ApiObject {
  readonly spec?: { readonly devices?: { readonly requests?: readonly Request[] } };
}

/** Modes that are not known count for nothing. */
function devicesOf({ allocationMode, count = 0 }: DeviceRequest): number {
  if (allocationMode === 'All') return maxDevices;
  return allocationMode === 'ExactCount' ? count : 0;
}

/** Of alternatives, the one that needs most of a class. */
function mostByClass(requests: readonly DeviceRequest[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const request of requests) {
    const { deviceClassName: name = '' } = request;
    most.set(name, Math.max(most.get(name) ?? 0, devicesOf(request)));
  }
  return most;
}

export function deviceClaimUsage(claim: DeviceClaim, dialect: Dialect): Usage {
  const group = apiGroup(dialect, 'resource');
  const usage: Usage = new Map([[`count/resourceclaims.${group}`, amountOf(1)]]);
  for (const request of claim.spec?.devices?.requests ?? []) {
    const { firstAvailable = [], exactly = request } = request;
    for (const [name, count] of mostByClass(firstAvailable.length > 0 ? firstAvailable : [exactly])) {
      addUsage(usage, `${name}.deviceclass.${group}/devices`, amountOf(count));
      if (!isForPod(claim, dialect))
        addUsage(usage, `requests.deviceclass.resource.${dialect.labelDomain}/${name}`, amountOf(count));
    }
  }
  return usage;
}

const amountOf = (count: number): Quantity => parseQuantity(String(count)) as Quantity;

/** A claim made for extended resources of a pod: the pod counts for those already. */
const isForPod = ({ metadata }: ApiObject, dialect: Dialect): boolean =>
  metadata.annotations?.[`resource.${dialect.labelDomain}/extended-resource-claim`] === 'true';
