// What a URL asks for, in the API's own terms.

type VerbInPath = 'watch' | 'proxy' | '';

export interface RequestInfo {
  /** Whether the path names an API resource; otherwise only `path` and `verb` mean something. */
  readonly isResource: boolean;
  readonly path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection; empty for other methods on resources. */
  readonly verb: string;
  /** The first word of an old path whose verb it is, whatever the method; empty for all others. */
  readonly verbInPath: VerbInPath;
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  /** Whether the path leads through a namespace to the resource. */
  readonly scope: 'cluster' | 'namespace';
  /** For a namespace itself: its own name, as authorization sees it. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What follows the subresource: a path for the server that is proxied to. */
  readonly rest: string;
}

const verbs = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);
const namespaceSubresources = new Set(['status', 'finalize']);

/** `rawPath` is the path of the URL as it was sent; `isWatch` is whether the query asks for a watch. */
export function parseRequestInfo(method: string, rawPath: string, isWatch: () => boolean): RequestInfo {
  const path = decodedPath(rawPath);
  const parts = splitPath(path);
  const prefix = parts[0] ?? '';
  const named = prefix === 'apis';
  // /api/v1/x and /apis/g/v1/x at least: shorter paths are discovery
  if (!(named || prefix === 'api') || parts.length < (named ? 4 : 3)) return nonResource(method, path);
  const group = named ? (parts[1] as string) : '';
  const version = (named ? parts[2] : parts[1]) as string;
  const place = locate(parts.slice(named ? 3 : 2));
  return {
    isResource: true,
    path,
    apiPrefix: prefix,
    group,
    version,
    scope: place.scope,
    namespace: place.namespace,
    resource: place.resource,
    name: place.name,
    subresource: place.subresource,
    rest: place.rest,
    verbInPath: place.verbInPath,
    verb: resourceVerb(method, place, isWatch),
  };
}

/** Whether an old path has a verb and nothing else, such as `/api/v1/watch`. */
export function isBareVerb({ isResource, scope, resource, name }: RequestInfo): boolean {
  return isResource && scope === 'cluster' && name === '' && verbsInPath.has(resource);
}

const verbsInPath: ReadonlySet<string> = new Set(['watch', 'proxy']);
const longRunningVerbs = new Set(['watch', 'proxy']);
/** By the names that every API gives them. */
const longRunningSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request may go on for as long as both sides like: a watch, or a connection to another server. */
export function isLongRunning({ isResource, verb, subresource }: RequestInfo): boolean {
  return isResource && (longRunningVerbs.has(verb) || longRunningSubresources.has(subresource));
}

/** A path through a namespace leads to namespaced resources only: rights there must open nothing of the cluster. */
export function fitsScope({ scope, name }: RequestInfo, { namespaced }: { readonly namespaced: boolean }): boolean {
  if (!namespaced) return scope === 'cluster';
  return scope === 'namespace' || name === '';
}

function nonResource(method: string, path: string): RequestInfo {
  const verb = method.toLowerCase();
  return {
    isResource: false,
    path,
    verb,
    verbInPath: '',
    apiPrefix: '',
    group: '',
    version: '',
    scope: 'cluster',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    rest: '',
  };
}

type Place = Pick<RequestInfo, 'scope' | 'namespace' | 'resource' | 'name' | 'subresource' | 'rest' | 'verbInPath'>;

function locate(parts: readonly string[]): Place {
  const verbInPath = parts.length > 1 && verbsInPath.has(parts[0] as string) ? (parts[0] as VerbInPath) : '';
  const rest = verbInPath === '' ? parts : parts.slice(1);
  const namespace = rest[0] === 'namespaces' ? (rest[1] ?? '') : '';
  const through = rest[0] === 'namespaces' && rest.length > 2 && !namespaceSubresources.has(rest[2] as string);
  const [resource = '', name = '', subresource = '', ...more] = through ? rest.slice(2) : rest;
  return {
    scope: through ? 'namespace' : 'cluster',
    namespace,
    resource,
    name,
    subresource,
    rest: more.join('/'),
    verbInPath,
  };
}

function resourceVerb(method: string, at: Place, isWatch: () => boolean): string {
  if (at.verbInPath !== '') return at.verbInPath;
  if (method === 'GET' || method === 'HEAD') {
    if (at.name !== '') return 'get';
    return isWatch() ? 'watch' : 'list';
  }
  if (method === 'DELETE' && at.name === '') return 'deletecollection';
  // over HTTP/2 any word may be a method: one that spells a verb must not pass proxies that only know methods
  return verbs.get(method) ?? '';
}

/** An encoded slash parts segments as well. */
const decodedPath = (path: string): string => (path.includes('%') ? path.split('/').map(safeDecode).join('/') : path);

/** Slashes at either end do not count; between them, two in a row have an empty segment between them. */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end).split('/');
}

/** Bytes that are not UTF-8 become replacement characters; invalid percent-encodings stay unchanged. */
function safeDecode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    if (/%(?![0-9a-f]{2})/i.test(segment)) return segment;
    const escaped = segment.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(escaped, 'latin1').toString();
  }
}
