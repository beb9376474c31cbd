// Timestamps as the wire has them: RFC 3339, UTC, whole seconds or exactly six fraction digits.

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

let lastSecond = Number.NaN;
let lastText = '';

/** Most times that are formatted are the present second: it is kept. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return lastText;
}

/** With six fraction digits, of which the clock knows three. */
export const formatMicroTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/** Whole seconds in UTC, or undefined when the text is no RFC 3339 time. */
export function normalizeTime(text: string): string | undefined {
  if (text === lastText) return text;
  const match = rfc3339.exec(text);
  if (match === null || !isDate(match)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : formatTime(ms);
}

/** Date makes something of the 30th of February, and of 24 o'clock. */
function isDate([, year, month, day, hour]: readonly string[]): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) && date.getUTCMonth() === Number(month) - 1 && Number(hour) < 24;
}

/** Microseconds in UTC, or undefined when the text is no RFC 3339 time with six fraction digits. */
export function normalizeMicroTime(text: string): string | undefined {
  const fraction = rfc3339.exec(text)?.[7];
  const seconds = normalizeTime(text);
  if (seconds === undefined || fraction?.length !== 6) return undefined;
  return `${seconds.slice(0, 19)}.${fraction}Z`;
}

/** When the first of the ages that were formatted lately is written otherwise, in ms from then. */
let agesLastMs = Number.POSITIVE_INFINITY;

/** What `use` makes, and for how long the ages in it stay as they are. */
export function withAges<T>(use: () => T): { readonly value: T; readonly lastMs: number } {
  agesLastMs = Number.POSITIVE_INFINITY;
  const value = use();
  return { value, lastMs: agesLastMs };
}

/** Age as tables show it: the two most telling units, `5m30s`, `3h`, `45d`. */
export function formatAge(ms: number): string {
  agesLastMs = Math.min(agesLastMs, ageLastsMs(ms));
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

/** How long an age is written as it is now. */
function ageLastsMs(ms: number): number {
  if (!(ms >= 0)) return 0;
  const stepMs = ageSteps.find(({ belowMs }) => ms < belowMs)?.stepMs ?? 365 * dayMs;
  return stepMs - (ms % stepMs);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The smallest unit that ages below a limit are written in. */
const ageSteps = [
  { belowMs: 10 * minuteMs, stepMs: 1000 },
  { belowMs: 8 * hourMs, stepMs: minuteMs },
  { belowMs: 8 * dayMs, stepMs: hourMs },
  { belowMs: 8 * 365 * dayMs, stepMs: dayMs },
];
