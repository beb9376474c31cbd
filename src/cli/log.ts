// The log of the command line, on standard error: text for people, JSON for programs.

import type { Log } from '../config/options.ts';
import { withoutSecrets } from './log-secrets.ts';

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

type Level = 'info' | 'warn' | 'error';
type Write = (level: Level, fields: object, message: string) => string;

/** Without a format: text on a terminal, JSON elsewhere. */
export function createLog(output: Output, format = output.isTTY ? 'text' : 'json', environment = process.env): Log {
  const isColoured = output.isTTY === true && !environment['NO_COLOR'];
  const write: Write = format === 'json' ? jsonLine : textLine(isColoured);
  const at = (level: Level) => (fields: object, message: string) => {
    output.write(write(level, withoutSecrets(readable(fields, level)) as object, withoutSecrets(message) as string));
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** Errors are objects without properties of their own: what they say becomes a field. */
function readable(fields: object, level: Level): object {
  const { err, ...rest } = fields as { readonly err?: unknown };
  if (err === undefined) return rest;
  const isBug = level === 'error' && err instanceof Error && (err as NodeJS.ErrnoException).code === undefined;
  return { ...rest, error: textOf(err), ...(isBug ? { stack: err.stack ?? '' } : {}) };
}

/** With its causes: the first is the failure, the last is the reason. */
function textOf(error: unknown): string {
  const seen: string[] = [];
  for (let at = error, depth = 0; at !== undefined && depth < 5; depth++) {
    const text = at instanceof Error ? at.message : String(at);
    if (!seen.some((before) => before.includes(text))) seen.push(text);
    at = at instanceof Error ? at.cause : undefined;
  }
  return seen.join(': ');
}

const jsonLine: Write = (level, fields, message) =>
  `${JSON.stringify({ level, time: timeNow(), msg: message, ...fields })}\n`;

const timeNow = () => new Date().toISOString();

const colours = { info: 36, warn: 33, error: 31 } as const;

const textLine =
  (isColoured: boolean): Write =>
  (level, fields, message) => {
    const paint = (code: number, text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
    const { stack, ...shown } = fields as { readonly stack?: string };
    const pairs = Object.entries(shown).map(([name, value]) => ` ${paint(2, `${name}=`)}${valueText(value)}`);
    const lines = (stack ?? '').split('\n').filter((line) => line.trim().startsWith('at '));
    const trace = lines.map((line) => `\n    ${harmless(line.trim())}`).join('');
    return `${timeNow()} ${paint(colours[level], level.toUpperCase().padEnd(5))} ${harmless(message)}${pairs.join('')}${trace}\n`;
  };

/** Plain where a reader could not mistake it for something else. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^[\w.:/@*+-]+$/.test(text) ? text : harmless(typeof value === 'string' ? JSON.stringify(value) : text);
}

/** Text of clients cannot end a line, move the cursor or change the direction of the text. */
function harmless(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${char.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );
}
