// /statusz and /flagz: what runs here since when, and with which flags; for people as text, for programs as an object.

import { randomInt } from 'node:crypto';
import type { Clock } from '../base/time/clock.ts';
import { parseAccept, wantsPretty } from '../codec/accept.ts';
import { writeYaml } from '../codec/yaml/write-yaml.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { EffectiveVersions } from '../meta/effective-versions.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { release } from '../meta/release.ts';
import { notAcceptable } from '../meta/status.ts';
import { formatTime } from '../meta/time.ts';
import type { Routes } from './routes.ts';

interface ComponentPages {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly versions: EffectiveVersions;
  /** Every path of the server. */
  paths(): readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** Which pages there are. */
  readonly shows: { readonly status: boolean; readonly flags: boolean };
}

/** A page: its text, and what the object has next to its kind and name. */
interface Page {
  readonly kind: 'Statusz' | 'Flagz';
  fields(): object;
  text(separator: string): string;
}

const component = 'apiserver';
/** compat: the text is for people; a program that parses it meets another separator now and then. */
const separators = [':', ': ', '=', ' '];
const notice =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const groupPrefix = 'config';
const versionsOfPages = new Set(['v1alpha1', 'v1beta1']);
const deprecatedVersion = 'v1alpha1';
const offered = ['application/json', 'application/yaml', 'text/plain'];

export function addComponentPages(routes: Routes, about: ComponentPages): void {
  const add = (page: Page) => {
    const path = `/${page.kind.toLowerCase()}`;
    routes.add(path, (exchange) => answer(exchange, page, about.dialect));
  };
  if (about.shows.flags) add(flagsPage(about.flags));
  if (about.shows.status) add(statusPage(about));
}

type Form = { readonly type: 'text/plain' } | { readonly type: string; readonly version: string };

function answer(exchange: Exchange, page: Page, dialect: Dialect): ApiResponse {
  const form = formOf(exchange.request.header('accept'), page.kind, dialect);
  if (!('version' in form)) {
    const separator = separators[randomInt(separators.length)] as string;
    const body = `\n${component} ${page.kind.toLowerCase()}\n${notice}\n${page.text(separator)}`;
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
  const { type, version } = form;
  const group = apiGroup(dialect, groupPrefix);
  const apiVersion = `${group}/${version}`;
  const value = { kind: page.kind, apiVersion, metadata: { name: component }, ...page.fields() };
  const headers = {
    'content-type': `${type};g=${group};v=${version};as=${page.kind}`,
    ...(version === deprecatedVersion ? deprecation(page.kind) : {}),
  };
  return { status: 200, headers, body: written(value, type, wantsPretty(exchange, dialect)) };
}

const deprecation = (kind: Page['kind']) => ({
  warning: `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`,
});

function written(value: object, type: string, pretty: boolean): string {
  if (type === 'application/yaml') return writeYaml(value);
  return pretty ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`;
}

/** Text is for clients that ask for nothing; an object has to be asked for by its kind and version. */
function formOf(accept: string | undefined, kind: Page['kind'], dialect: Dialect): Form {
  if (accept === undefined || accept.trim() === '') return { type: 'text/plain' };
  const group = apiGroup(dialect, groupPrefix);
  for (const { type, parameters } of parseAccept(accept)) {
    const { as, g, v = '', stream, sv } = parameters;
    if (stream !== undefined || sv !== undefined) continue;
    const isPlain = as === undefined && g === undefined && v === '';
    const found = offered.find(
      (one) =>
        fits(type, one) && (one === 'text/plain' ? isPlain : as === kind && g === group && versionsOfPages.has(v)),
    );
    if (found !== undefined) return found === 'text/plain' ? { type: found } : { type: found, version: v };
  }
  throw notAcceptable(offered);
}

function fits(asked: string, type: string): boolean {
  return asked === type || asked === '*/*' || asked === '*' || asked === `${type.split('/')[0]}/*`;
}

function flagsPage(flags: Readonly<Record<string, string>>): Page {
  const sorted = Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kind: 'Flagz',
    fields: () => (sorted.length === 0 ? {} : { flags: Object.fromEntries(sorted) }),
    text: (separator) => sorted.map(([name, value]) => `${name}${separator}${value}\n`).join(''),
  };
}

function statusPage({ clock, versions, paths }: ComponentPages): Page {
  const startedAt = clock.now();
  const upSeconds = () => Math.max(0, Math.floor((clock.now() - startedAt) / 1000));
  const fields = () => ({
    startTime: formatTime(startedAt),
    uptimeSeconds: upSeconds(),
    goVersion: `node${process.versions.node}`,
    binaryVersion: `${release.major}.${release.minor}.${release.patch}`,
    emulationVersion: `${versions.emulation.major}.${versions.emulation.minor}`,
    paths: folders(paths()),
  });
  return {
    kind: 'Statusz',
    fields,
    text(separator) {
      const { goVersion, binaryVersion, emulationVersion, paths: shown } = fields();
      const lines = [
        ['Started', unixDate(startedAt)],
        ['Up', hoursOf(upSeconds())],
        ['Go version', goVersion],
        ['Binary version', binaryVersion],
        ['Emulation version', emulationVersion],
        ['Paths', shown.join(' ')],
      ];
      return `\n${lines.map(([name, value]) => `${name}${separator} ${value}\n`).join('')}`;
    },
  };
}

/** Below these are the APIs, not pages about the server. */
const apiFolders = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

function folders(paths: readonly string[]): readonly string[] {
  const first = paths.map((path) => `/${path.split('/')[1] ?? ''}`);
  return [...new Set(first)].filter((folder) => folder !== '/' && !apiFolders.has(folder)).sort();
}

function hoursOf(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}

/** `Tue Nov 17 21:33:03 UTC 2026` */
function unixDate(ms: number): string {
  const [, weekday, day, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/.exec(
    new Date(ms).toUTCString(),
  ) as RegExpExecArray;
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}
