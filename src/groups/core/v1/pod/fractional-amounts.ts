// Amounts of bytes that are no whole number of them.

import { formatQuantity, isWhole, parseQuantity } from '../../../../meta/quantity.ts';

type Amounts = Readonly<Record<string, string>>;

/** Warnings about those of the named amounts that no node can give out. */
export function fractionalWarnings(
  amounts: Amounts | undefined,
  names: readonly string[],
  at: string,
): readonly string[] {
  if (amounts === undefined) return [];
  return names.flatMap((name) => {
    const quantity = Object.hasOwn(amounts, name) ? parseQuantity(amounts[name] as string) : undefined;
    if (quantity === undefined || isWhole(quantity)) return [];
    const text = JSON.stringify(formatQuantity(quantity));
    return [`${at}[${name}]: fractional byte value ${text} is invalid, must be an integer`];
  });
}

interface ClaimResources {
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
}

/** The same for what a claim asks for. */
export function claimWarnings({ resources = {} }: ClaimResources, at: string): readonly string[] {
  return [
    ...fractionalWarnings(resources.requests, ['storage'], `${at}.resources.requests`),
    ...fractionalWarnings(resources.limits, ['storage'], `${at}.resources.limits`),
  ];
}
