// URLs as Go reads the target of a request: absolute, or a path from the root.

import { brokenEscape, escapedPath } from '../../base/text/go-url-path.ts';
import { type Library, member, plain } from '../declarations.ts';
import { bool, list, map, string } from '../types.ts';
import { EntryMap, EvaluationError, ListValue, type MapValue, OpaqueValue, type Value } from '../values.ts';
import { perComparedCharacter, work, workOnText } from '../work.ts';
import { vendorType } from './vendor.ts';

const type = vendorType('URL');

interface UrlParts {
  readonly scheme: string;
  /** With the port; an IPv6 address in brackets. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class UrlValue extends OpaqueValue {
  readonly type = type;
  readonly text: string;
  readonly parts: UrlParts;
  #query: MapValue | undefined;
  #escapedPath: string | undefined;

  constructor(text: string, parts: UrlParts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  /** Read once: an expression may ask for it again and again. */
  get query(): MapValue {
    this.#query ??= readQuery(this.parts.query);
    return this.#query;
  }

  get escapedPath(): string {
    this.#escapedPath ??= escapePath(this.parts.path);
    return this.#escapedPath;
  }

  equals(other: OpaqueValue): boolean {
    workOnText(this.text, perComparedCharacter);
    return other instanceof UrlValue && other.text === this.text;
  }
}

type Reading = UrlParts | { readonly fault: string };

/** The error of the text, or its parts. */
export function readUrl(text: string): Reading {
  if (text === '') return { fault: 'empty url' };
  if (/\p{Cc}/u.test(text.replace(/[\u0080-\u009f]/g, '')))
    return { fault: 'net/url: invalid control character in URL' };
  if (text.startsWith(':')) return { fault: 'missing protocol scheme' };
  const [, scheme, rest = ''] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?([\s\S]*)$/.exec(text) ?? [];
  const mark = rest.indexOf('?');
  const before = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  if (!before.startsWith('/'))
    return scheme === undefined ? { fault: 'invalid URI for request' } : { scheme, host: '', path: '', query };
  if (scheme === undefined || !before.startsWith('//'))
    return withPath({ scheme: scheme ?? '', host: '', query }, before);
  const [, authority = '', path = ''] = /^\/\/([^/]*)([\s\S]*)$/.exec(before) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return hostFault(host) ?? withPath({ scheme, host, query }, path);
}

function withPath(parts: Omit<UrlParts, 'path'>, path: string): Reading {
  const broken = brokenEscape(path);
  return broken === undefined ? { ...parts, path } : { fault: `invalid URL escape ${JSON.stringify(broken)}` };
}

function hostFault(host: string): { readonly fault: string } | undefined {
  const port = portOf(host);
  if (port === undefined) return { fault: "missing ']' in host" };
  if (port !== '' && !/^:[0-9]*$/.test(port)) return { fault: `invalid port ${JSON.stringify(port)} after host` };
  const bad = /[ "<>\\^`{|}]/.exec(host);
  return bad === null ? undefined : { fault: `invalid character ${JSON.stringify(bad[0])} in host name` };
}

/** What follows the host, from the colon on; undefined where an address in brackets does not end. */
function portOf(host: string): string | undefined {
  if (host.startsWith('[')) return host.includes(']') ? host.slice(host.indexOf(']') + 1) : undefined;
  return host.includes(':') ? host.slice(host.indexOf(':')) : '';
}

function parse(text: string): Value {
  const parts = readUrl(text);
  if ('fault' in parts)
    throw new EvaluationError(
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${parts.fault}`,
    );
  return new UrlValue(text, parts);
}

/** Of work: splitting a query, and reading or writing escapes. */
const perPair = 500;
const perEscape = 3000;
const perEscapedCharacter = 200;

const withoutPort = (host: string): string => host.replace(/:[0-9]*$/, '');
const hostname = (host: string): string =>
  host.startsWith('[') ? host.slice(1, host.indexOf(']')) : withoutPort(host);
const port = (host: string): string => /:([0-9]*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';

function escapePath(path: string): string {
  workOnText(path, perEscapedCharacter);
  return escapedPath(path);
}

function unescapeQuery(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  work(perEscape + text.length * perEscapedCharacter);
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-fA-F]{2})|([^%]+)/g, (_, hex?: string, plainText?: string) =>
      hex === undefined ? Buffer.from(plainText ?? '').toString('latin1') : String.fromCharCode(parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Pairs that cannot be read are left out. */
function readQuery(query: string): MapValue {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    work(perPair + pair.length);
    if (pair === '' || pair.includes(';')) continue;
    const equalSign = pair.indexOf('=');
    const key = unescapeQuery(equalSign < 0 ? pair : pair.slice(0, equalSign));
    const text = unescapeQuery(equalSign < 0 ? '' : pair.slice(equalSign + 1));
    if (key === undefined || text === undefined) continue;
    const valuesOfKey = values.get(key);
    if (valuesOfKey === undefined) values.set(key, [text]);
    else valuesOfKey.push(text);
  }
  const result = new EntryMap();
  for (const [key, texts] of values) result.insert(key, new ListValue(texts));
  return result;
}

const part = (id: string, read: (parts: UrlParts) => string) =>
  member(`url_get_${id}`, [type], string, ({ parts }: UrlValue) => read(parts));

export const urls: Library = {
  functions: {
    url: [plain('string_to_url', [string], type, parse)],
    isURL: [plain('is_url_string', [string], bool, (text: string) => !('fault' in readUrl(text)))],
    getScheme: [part('scheme', ({ scheme }) => scheme.toLowerCase())],
    getHost: [part('host', ({ host }) => host)],
    getHostname: [part('hostname', ({ host }) => hostname(host))],
    getPort: [part('port', ({ host }) => port(host))],
    getEscapedPath: [member('url_get_escaped_path', [type], string, ({ escapedPath }: UrlValue) => escapedPath)],
    getQuery: [member('url_get_query', [type], map(string, list(string)), ({ query }: UrlValue) => query)],
  },
};
