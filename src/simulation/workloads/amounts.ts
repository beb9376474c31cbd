// Amounts that specs give as a number or as a share.

/** A whole number, or a share of `total`. */
export function amountOf(value: number | string | undefined, total: number, round: (share: number) => number): number {
  if (value === undefined) return 0;
  return typeof value === 'number' ? value : round((Number.parseInt(value, 10) * total) / 100);
}
