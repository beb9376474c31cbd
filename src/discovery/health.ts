// /healthz, /livez and /readyz: named checks, one line each when asked.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { Routes } from './routes.ts';

export interface HealthCheck {
  readonly name: string;
  /** Undefined when all is well, otherwise what is not, for the log. */
  check(): MaybePromise<string | undefined>;
}

export interface HealthEndpoints {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

const textHeaders = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' } as const;

export function addHealth(
  routes: Routes,
  endpoints: HealthEndpoints,
  dialect: Dialect,
  log: (text: string) => void,
): void {
  for (const name of ['healthz', 'livez', 'readyz'] as const) {
    const checks = endpoints[name];
    const summary = dialect.rules.healthSummary === 'endpoint' ? name : 'healthz';
    routes.add(`/${name}`, (exchange) => report(exchange, checks, summary, log));
    const isPlain = dialect.rules.singleHealthCheck === 'plain';
    for (const check of checks)
      routes.add(`/${name}/${check.name}`, (exchange) =>
        isPlain ? plainReport(check, log) : report(exchange, [check], summary, log),
      );
  }
}

/** One check alone has nothing to list. */
async function plainReport(check: HealthCheck, log: (text: string) => void): Promise<ApiResponse> {
  const problem = await problemOf(check, log);
  if (problem !== undefined) return text(500, [`internal server error: ${problem}`]);
  return { status: 200, headers: { 'content-type': textHeaders['content-type'] }, body: 'ok' };
}

interface Outcome {
  readonly name: string;
  readonly kind: 'ok' | 'excluded' | 'failed';
}

async function report(
  exchange: Exchange,
  checks: readonly HealthCheck[],
  summary: string,
  log: (text: string) => void,
): Promise<ApiResponse> {
  const excluded = new Set(exchange.query.getAll('exclude'));
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const kind = excluded.delete(check.name) ? 'excluded' : await outcomeOf(check, log);
    outcomes.push({ name: check.name, kind });
  }
  const unmatched = [...excluded].sort();
  return outcomes.some(({ kind }) => kind === 'failed')
    ? text(500, [...lines(outcomes), ...warning(unmatched), `${summary} check failed`])
    : healthy(exchange, outcomes, unmatched, summary);
}

async function outcomeOf(check: HealthCheck, log: (text: string) => void): Promise<'ok' | 'failed'> {
  return (await problemOf(check, log)) === undefined ? 'ok' : 'failed';
}

async function problemOf(check: HealthCheck, log: (text: string) => void): Promise<string | undefined> {
  const checked = check.check();
  const problem = isPromise(checked) ? await checked : checked;
  if (problem !== undefined) log(`health check ${check.name} failed: ${problem}`);
  return problem;
}

function healthy(
  exchange: Exchange,
  outcomes: readonly Outcome[],
  unmatched: readonly string[],
  summary: string,
): ApiResponse {
  // compat: the value does not count, not even verbose=false
  if (!exchange.query.has('verbose')) return { status: 200, headers: textHeaders, body: 'ok' };
  return text(200, [...lines(outcomes), ...warning(unmatched), `${summary} check passed`]);
}

const marks = { ok: '[+]', excluded: '[+]', failed: '[-]' } as const;
const words = { ok: 'ok', excluded: 'excluded: ok', failed: 'failed: reason withheld' } as const;

function lines(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(({ name, kind }) => `${marks[kind]}${name} ${words[kind]}`);
}

function warning(unmatched: readonly string[]): string[] {
  if (unmatched.length === 0) return [];
  const names = unmatched.map((name) => JSON.stringify(name)).join(',');
  return [`warn: some health checks cannot be excluded: no matches for ${names}`];
}

function text(status: number, all: readonly string[]): ApiResponse {
  return { status, headers: textHeaders, body: `${all.join('\n')}\n` };
}
