// Cron schedules: five fields, or one of the words that begin with @. Here they are only checked.

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const words = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const durationForm = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;
/** More than any honest schedule has. */
const maxLength = 10_000;

/** What is wrong with a schedule, if anything. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.length > maxLength) return 'schedule is too long';
  const withoutZone = schedule.replace(/^(TZ|CRON_TZ)=\S*\s*/, '');
  if (withoutZone.startsWith('@')) return wordProblem(withoutZone);
  const fields = withoutZone.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  return firstProblem(fields, (field, index) => fieldProblem(field, bounds[index] as Bounds));
}

function wordProblem(word: string): string | undefined {
  const every = '@every ';
  if (!word.startsWith(every)) return words.has(word) ? undefined : `unrecognized descriptor: ${word}`;
  const duration = word.slice(every.length);
  if (durationForm.test(duration)) return undefined;
  return `failed to parse duration ${word}: time: invalid duration ${JSON.stringify(duration)}`;
}

function firstProblem<T>(
  items: readonly T[],
  problem: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = problem(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldProblem(field: string, limits: Bounds): string | undefined {
  const ranges = field.split(',').filter((range) => range !== '');
  return firstProblem(ranges, (range) => rangeProblem(range, limits));
}

/** `5`, `1-5`, `*`, each perhaps with `/step`. */
function rangeProblem(text: string, limits: Bounds): string | undefined {
  const [span = '', step, ...moreSteps] = text.split('/');
  const [from = '', to, ...moreEnds] = span.split('-');
  if (moreEnds.length > 0) return `too many hyphens: ${text}`;
  const any = from === '*' || from === '?';
  const start = any ? limits.min : boundOf(from, limits);
  if (typeof start === 'string') return start;
  const end = any ? limits.max : to === undefined ? (step === undefined ? start : limits.max) : boundOf(to, limits);
  if (typeof end === 'string') return end;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const stride = step === undefined ? 1 : numberOf(step);
  if (typeof stride === 'string') return stride;
  if (start < limits.min) return `beginning of range (${start}) below minimum (${limits.min}): ${text}`;
  if (end > limits.max) return `end of range (${end}) above maximum (${limits.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return stride === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** A number, or a text that says why it is none. */
function boundOf(text: string, { min, names = [] }: Bounds): number | string {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? numberOf(text) : index + min;
}

function numberOf(text: string): number | string {
  if (!/^[-+]?\d{1,15}$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

const zonePart = /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/;

/** What is wrong with the name of a time zone. */
export function timeZoneProblems(name: string): readonly string[] {
  if (name === '') return ['timeZone must be nil or non-empty string'];
  const parts = name.split('/');
  const unknown = `unknown time zone ${name}`;
  if (parts.some((part) => part === '.' || part === '..' || !zonePart.test(part))) return [unknown];
  const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  // compat: the zone of the machine is known by the one way in which its name is usually written
  const isKnown = name === 'Local' || isZone(name);
  return [...(name.toLowerCase() === 'local' ? [explicit] : []), ...(isKnown ? [] : [unknown])];
}

/** Offsets such as +01 are no names, and names are written in upper and lower case. */
function isZone(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
