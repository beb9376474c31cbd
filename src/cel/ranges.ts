// Ranges of costs and sizes, from the least to the most; arithmetic stops at what 64 bits can hold.

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Nothing is known of the size. */
export const unlimited = 2 ** 64;

const capped = (value: number): number => Math.min(value, unlimited);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const free: Range = fixed(0);
export const unknown: Range = { min: 0, max: unlimited };

export const plus = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });
export const times = (a: Range, b: Range): Range => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) });
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** Rounded up, as costs are. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});

export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, free);
