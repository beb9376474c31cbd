// The path and query for another server: those that were authorized here, spelled so that they cannot be read differently.

import type { ApiRequest } from '../meta/exchange.ts';
import { readParameters } from '../meta/query.ts';
import { badRequest } from '../meta/status.ts';

const refused = 'the path to proxy to is not valid';

/** Throws a 400 for a path that another server may take for another one than this server does. */
export function forwardedPath({ path, rawQuery }: ApiRequest): { readonly path: string; readonly query: string } {
  if (rawQuery === '' && isPlain(path)) return { path, query: '' };
  const segments = path.split('/').filter((segment) => segment !== '');
  const isFolder = path.length > 1 && path.endsWith('/');
  return {
    path: `/${segments.map(spelled).join('/')}${isFolder ? '/' : ''}`,
    query: rawQuery === '' ? '' : `?${sortedQuery(rawQuery)}`,
  };
}

function sortedQuery(rawQuery: string): string {
  const parameters = readParameters(rawQuery);
  parameters.sort();
  return parameters.toString();
}

/** Nothing of it has to be spelled differently, as of nearly every path. */
const isPlain = (path: string) => /^(?:\/[\w:@~-][\w.:@~-]*)+$/.test(path);

function spelled(segment: string): string {
  if (/^[\w.:@~!$'()*,;=+-]+$/.test(segment) && segment !== '.' && segment !== '..') return segment;
  const plain = decoded(segment);
  if (plain === '' || plain === '.' || plain === '..' || /[/\\]/.test(plain)) throw badRequest(refused);
  return encodeURIComponent(plain);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(refused);
  }
}
