// /debug/flags: how much is logged, changed while the server runs. kube-apiserver has the same path for --v.

import { type LogLevels, parseAreaLevels, unknownAreas } from '../base/log-levels.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Routes } from './routes.ts';

/** A level, or a few areas with theirs. */
const maxBytes = 1024;
const largestLevel = 2 ** 32 - 1;

type Setter = (text: string) => string;

/** `onChange` hears what was set, and by which user. */
export function addDebugFlags(
  routes: Routes,
  levels: LogLevels,
  onChange: (fields: { readonly flag: string; readonly value: string; readonly user: string }) => void,
): void {
  const setters: Readonly<Record<string, Setter>> = {
    v(text) {
      levels.verbosity = parseLevel(text);
      return `successfully set klog.logging.verbosity to ${text}`;
    },
    vmodule(text) {
      const { areas, unknown } = parseAreaLevels(text);
      levels.areas = areas;
      const done = `successfully set vmodule to ${text}`;
      return unknown.length === 0 ? done : `${done}\n${unknownAreas(unknown)}`;
    },
  };
  const index = plain(200, indexPage(Object.keys(setters)), 'text/html; charset=utf-8');
  routes.addUnlisted('/debug/flags', () => index).addBelow('/debug/flags', () => index);
  for (const [flag, set] of Object.entries(setters))
    routes.addUnlisted(`/debug/flags/${flag}`, async (exchange) => {
      if (exchange.request.method !== 'PUT') return plain(406, 'unsupported http method\n');
      const answer = await put(exchange, set);
      if (answer.status === 200) onChange({ flag, value: String(answer.value), user: exchange.user.name });
      return plain(answer.status, `${answer.text}\n`);
    });
}

async function put(exchange: Exchange, set: Setter) {
  const value = Buffer.from(await exchange.request.readBody(maxBytes)).toString();
  try {
    return { status: 200, text: set(value), value };
  } catch (error) {
    return { status: 400, text: (error as Error).message, value };
  }
}

/** compat: what is no number is answered in the words of Go's parser. */
function parseLevel(text: string): number {
  const problem = !/^\d+$/.test(text)
    ? 'invalid syntax'
    : Number(text) > largestLevel
      ? 'value out of range'
      : undefined;
  if (problem !== undefined) throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`);
  return Number(text);
}

function plain(status: number, body: string, type = 'text/plain'): ApiResponse {
  return { status, headers: { 'content-type': type, 'x-content-type-options': 'nosniff' }, body };
}

const indexPage = (flags: readonly string[]) =>
  `<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n<ul>\n${flags
    .map((flag) => `<li>${flag}</li>\n`)
    .join('')}</ul>\n</body>\n</html>\n`;
