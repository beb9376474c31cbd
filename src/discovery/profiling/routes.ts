// /debug/pprof: what this process does, for those who look for the reason of its load. kube-apiserver has the same paths; what
// V8 measures is written in the format of pprof.

import { gzip } from 'node:zlib';
import type { Clock } from '../../base/time/clock.ts';
import type { ApiResponse, Exchange } from '../../meta/exchange.ts';
import type { Routes } from '../routes.ts';
import { writePprof } from './pprof.ts';

const root = '/debug/pprof';
const usualSeconds = { profile: 30, heap: 5 } as const;
/** A request has to be answered within a minute. */
const maxSeconds = 50;

const pages: Readonly<Record<string, string>> = {
  cmdline: 'the command line of the process',
  goroutine: 'what keeps the process running: sockets, timers and requests, with their numbers',
  heap: 'allocations that are still in use after ?seconds=',
  profile: 'processor time during ?seconds=',
  symbol: 'names of functions; profiles have theirs already',
};

export function addProfiling(routes: Routes, clock: Clock): void {
  const add = (name: string, handler: (exchange: Exchange) => ApiResponse | Promise<ApiResponse>) =>
    routes.addUnlisted(name === '' ? root : `${root}/${name}`, handler);
  const index = Object.entries(pages).map(
    ([name, about]) => `<li><a href="${root}/${name}">${name}</a>: ${about}</li>\n`,
  );
  const page = `<html>\n<head>\n<title>${root}/</title>\n</head>\n<body>\n<ul>\n${index.join('')}</ul>\n</body>\n</html>\n`;
  add('', () => answer(200, page, 'text/html; charset=utf-8'));
  add('cmdline', () => answer(200, commandLine().join('\0')));
  add('goroutine', () => answer(200, resources()));
  // tools ask whether symbols can be looked up; a number other than 0 means yes
  add('symbol', () => answer(200, 'num_symbols: 1\n'));
  add('profile', (exchange) => answerProfile(exchange, clock, 'profile'));
  add('heap', (exchange) => answerProfile(exchange, clock, 'heap'));
}

/** Values of flags may be secrets: `/flagz` shows those that are not. */
const commandLine = (): readonly string[] =>
  [process.argv0, ...process.argv.slice(1)].map((word) => word.replace(/=.*$/s, '=...'));

function resources(): string {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${count} ${name}\n`).join('');
}

async function answerProfile(exchange: Exchange, clock: Clock, name: keyof typeof usualSeconds): Promise<ApiResponse> {
  const text = exchange.query.get('seconds') ?? String(usualSeconds[name]);
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds < 1 || seconds > maxSeconds)
    return answer(400, `seconds: ${JSON.stringify(text.slice(0, 20))} is not a number from 1 to ${maxSeconds}\n`);
  // the inspector is loaded when it is used
  const { cpuProfile, heapProfile, ProfilerBusyError } = await import('./collect.ts');
  const collect = name === 'profile' ? cpuProfile : heapProfile;
  try {
    const profile = await collect(() => elapsed(clock, seconds * 1000, exchange.signal));
    const body = await compressed(writePprof(profile));
    const headers = { 'content-disposition': `attachment; filename="${name}"` };
    return { status: 200, headers: { ...typed('application/octet-stream'), ...headers }, body };
  } catch (error) {
    if (error instanceof ProfilerBusyError) return answer(500, `${error.message}\n`);
    throw error;
  }
}

/** Resolves earlier when the client leaves. */
function elapsed(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const timer = clock.after(ms, resolve);
    signal.addEventListener(
      'abort',
      () => {
        timer.cancel();
        resolve();
      },
      { once: true },
    );
  });
}

const compressed = (bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    gzip(bytes, (error, zipped) => (error === null ? resolve(zipped) : reject(error)));
  });

const typed = (type: string) => ({ 'content-type': type, 'x-content-type-options': 'nosniff' });

const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): ApiResponse => ({
  status,
  headers: typed(type),
  body,
});
