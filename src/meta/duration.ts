// Lengths of time as flags and configuration files have them: `90s`, `1h30m`, `1.5s`.

const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 };
const amount = '(\\d+(?:\\.\\d*)?|\\.\\d+)(h|ms|m|s|us|µs|ns)';
const whole = new RegExp(`^([-+]?)((?:${amount})+)$`);

/** Seconds; undefined when the text is no length of time. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, sign, amounts] = whole.exec(text) ?? [];
  if (amounts === undefined) return undefined;
  let seconds = 0;
  for (const [, number, unit] of amounts.matchAll(new RegExp(amount, 'g')))
    seconds += Number(number) * (unitSeconds[unit as string] as number);
  return sign === '-' ? -seconds : seconds;
}

/** The error of an invalid duration, in the words of Go's parser. */
export function durationProblem(text: string): string {
  const quotedText = JSON.stringify(text);
  const [, validPrefix = ''] = new RegExp(`^[-+]?((?:${amount})*)`).exec(text) ?? [];
  const rest = text.replace(/^[-+]/, '').slice(validPrefix.length);
  const [, unit] = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
  if (unit === undefined) return `time: invalid duration ${quotedText}`;
  return unit === ''
    ? `time: missing unit in duration ${quotedText}`
    : `time: unknown unit ${JSON.stringify(unit)} in duration ${quotedText}`;
}

/** The shortest way to write it that names every unit below the largest one. */
export function formatDuration(seconds: number): string {
  if (seconds < 0) return `-${formatDuration(-seconds)}`;
  if (seconds === 0) return '0s';
  const rounded = (value: number) => String(Number(value.toFixed(9)));
  if (seconds < 1e-6) return `${rounded(seconds * 1e9)}ns`;
  if (seconds < 1e-3) return `${rounded(seconds * 1e6)}µs`;
  if (seconds < 1) return `${rounded(seconds * 1e3)}ms`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = `${rounded(seconds % 60)}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
