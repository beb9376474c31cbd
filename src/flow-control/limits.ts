// How the seats of the server are divided among priority levels: by shares, and by what levels lend and borrow.

export interface LevelShares {
  readonly shares: number;
  /** Percent of its seats that others may borrow. */
  readonly lendable: number;
  /** Percent of its seats that the level may borrow; undefined for as many as there are. */
  readonly borrowing: number | undefined;
}

export interface SeatLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/** Limits of levels whose shares add up to `shareSum`. Rounded up: together they may be a little more than the server's. */
export function seatLimits(level: LevelShares, shareSum: number, serverSeats: number): SeatLimits {
  const nominal = shareSum === 0 ? 0 : Math.ceil((serverSeats * level.shares) / shareSum);
  const lent = Math.round((nominal * level.lendable) / 100);
  const borrowed = level.borrowing === undefined ? serverSeats : Math.round((nominal * level.borrowing) / 100);
  return { nominal, lower: nominal - lent, upper: nominal + borrowed };
}

export interface LevelDemand extends SeatLimits {
  readonly isExempt: boolean;
  /** The most seats in use or waited for at once. */
  readonly highest: number;
  /** The usual number of them. */
  readonly smoothed: number;
}

interface Adjustment {
  /** The current limit of each level, in their order. */
  readonly limits: readonly number[];
  readonly targets: readonly number[];
  /** By how much every target that meets no bound is multiplied. */
  readonly fairFraction: number;
}

/** The limits until the next adjustment. */
export function adjust(levels: readonly LevelDemand[]): Adjustment {
  const floors = levels.map(floorOf);
  const targets = levels.map(({ isExempt, smoothed }, at) => (isExempt ? 0 : Math.max(floors[at] as number, smoothed)));
  const sum = (value: (level: LevelDemand, at: number) => number) =>
    levels.reduce((total, level, at) => (level.isExempt ? total : total + value(level, at)), 0);
  const serverSeats = levels.reduce((total, { nominal }) => total + nominal, 0);
  const exemptSeats = levels.reduce(
    (total, { isExempt }, at) => (isExempt ? total + (floors[at] as number) : total),
    0,
  );
  const left = serverSeats - exemptSeats;
  const lowerSum = sum(({ lower }) => lower);
  const floorSum = sum((_, at) => floors[at] as number);
  const limitsBy = (limit: (level: LevelDemand, at: number) => number) =>
    levels.map((level, at) => (level.isExempt ? (floors[at] as number) : Math.round(limit(level, at))));
  if (left <= lowerSum) return { limits: limitsBy(({ lower }) => lower), targets, fairFraction: 0 };
  if (left <= floorSum) {
    const part = (left - lowerSum) / (floorSum - lowerSum);
    const limits = limitsBy(({ lower }, at) => lower + ((floors[at] as number) - lower) * part);
    return { limits, targets, fairFraction: 0 };
  }
  const within = (fraction: number) => (level: LevelDemand, at: number) =>
    Math.max(floors[at] as number, Math.min(level.upper, fraction * Math.max(leastTarget, targets[at] as number)));
  // as in kube-apiserver, the seats of exempt levels are divided as well
  const fairFraction = solve((fraction) => sum(within(fraction)), serverSeats);
  return { limits: limitsBy(within(fairFraction)), targets, fairFraction };
}

const leastTarget = 0.001;

/** What a level keeps whatever the others need: what it needed itself, within what it may keep. */
function floorOf({ isExempt, lower, nominal, highest }: LevelDemand): number {
  return Math.max(lower, isExempt ? highest : Math.min(nominal, highest));
}

/** Where a function that never falls reaches a value, or comes nearest to it. */
function solve(value: (fraction: number) => number, goal: number): number {
  let low = 0;
  let high = 1;
  while (value(high) < goal && high < goal / leastTarget) high *= 2;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (value(middle) < goal) low = middle;
    else high = middle;
  }
  return high;
}
