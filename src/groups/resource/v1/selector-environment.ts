// What selectors of devices may use, and how large it can be. Loads the language: import it when there is an expression.

import { Environment } from '../../../cel/environment.ts';
import type { MaxSize } from '../../../cel/estimate.ts';
import { vendorName, vendorType } from '../../../cel/library/vendor.ts';
import { anyValue, bool, type CelType, map, record, string } from '../../../cel/types.ts';
import type { EffectiveVersions } from '../../../meta/effective-versions.ts';

/** By domain, then by name. */
const named = (of: CelType): CelType => map(string, map(string, of));

const oldFields = {
  driver: string,
  attributes: named(anyValue),
  capacity: named(vendorType('Quantity')),
};

const olderDevice = record(vendorName('DRADevice'), oldFields);
const deviceType = record(vendorName('DRADevice'), { ...oldFields, allowMultipleAllocations: bool });

/** The minor release from which devices may be allocated several times unless that is turned off. */
const multipleAllocations = 36;

/** What new selectors may use where servers behave like older releases, or are among them. */
export function selectorEnvironment({ emulation, minCompatibility }: EffectiveVersions): Environment {
  const device = emulation.minor >= multipleAllocations ? deviceType : olderDevice;
  return new Environment({ variables: { device }, bindings: true, newest: minCompatibility.minor });
}

/** The most characters or entries that a part of a device has, and those of what is in it. */
interface Size {
  readonly most: number;
  readonly parts?: Readonly<Record<string, Size>>;
  /** Of parts that are not listed. */
  readonly others?: Size;
}

const domain: Size = { most: 63 };
const id: Size = { most: 32 };
const attribute: Size = { most: 64 };
const perDevice = 32;

const byName: Size = { most: perDevice, parts: { '@keys': id, '@values': attribute }, others: attribute };
// amounts have no size that a function could depend on
const amounts: Size = { most: perDevice, parts: { '@keys': id, '@values': { most: 0 } } };

const device: Size = {
  most: 0,
  parts: {
    driver: { most: 63 },
    attributes: { most: perDevice, parts: { '@keys': domain, '@values': byName } },
    capacity: { most: perDevice, parts: { '@keys': domain, '@values': amounts } },
    allowMultipleAllocations: { most: 1 },
  },
};

export const largestPart: MaxSize = ([variable, ...path]) => {
  let size = variable === 'device' ? device : undefined;
  for (const step of path) size = size && partOf(size, step);
  return size?.most;
};

/** Lists have no items of their own here: an attribute is not known to be one. */
function partOf({ parts = {}, others }: Size, step: string): Size | undefined {
  if (Object.hasOwn(parts, step)) return parts[step];
  return step.startsWith('@') ? undefined : others;
}
