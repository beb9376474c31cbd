// What metrics say of a request. Names that clients made up stay out of them.

import type { Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { LabelsOf } from './table/all-metrics.ts';

/** A key that is equal for requests with equal labels and status. */
export function seriesKey(exchange: Exchange, status: number): string {
  const { info, isServed } = exchange;
  if (!isServed) return `${verbOf(exchange)}||${status}`;
  const { group, version, resource, subresource } = info;
  return `${verbOf(exchange)}${dryRunOf(exchange)}|${group}/${version}/${resource}/${subresource}/${scopeOf(info)}|${status}`;
}

export type RequestLabels = LabelsOf<'apiserver_request_duration_seconds'>;

export function labelsOf(exchange: Exchange): RequestLabels {
  const { info, isServed } = exchange;
  const served = (text: string) => (isServed ? text : '');
  return {
    verb: verbOf(exchange),
    component: 'apiserver',
    dry_run: dryRunOf(exchange),
    group: served(info.group),
    version: served(info.version),
    resource: served(info.resource),
    subresource: served(info.subresource),
    scope: served(scopeOf(info)),
  };
}

/** Of a request for another server's resource, of which only that server knows whether there is such a thing. */
export function terminationLabels({ info, request }: Exchange): LabelsOf<'apiserver_request_aborts_total'> {
  const { isResource, group, version, resource, subresource, path } = info;
  const verb = isResource ? (methodOf[info.verb] ?? info.verb.toUpperCase()) : request.method;
  const named = isResource ? { group, version, resource, subresource } : { ...nothing, subresource: path };
  return { verb: verbs.has(verb) ? verb : 'other', ...named, scope: isResource ? scopeOf(info) : '' };
}

const nothing = { group: '', version: '', resource: '' };

/** Whether the size of the answer is of interest: that of objects and lists. */
export const hasSize = ({ info, isServed }: Exchange): boolean =>
  isServed && (info.verb === 'get' || info.verb === 'list');

/** Watches and connections go on after their answer has begun. */
export const lasts = ({ info, isServed, isConnection }: Exchange): boolean =>
  isServed && (isConnection || info.verb === 'watch');

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Verbs that metrics call by their method. */
const methodOf: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };

const verbs = new Set([...methods, 'LIST', 'WATCH', 'DELETECOLLECTION', 'CONNECT']);

function verbOf({ info, isServed, isConnection, request }: Exchange): string {
  if (!isServed) return methods.has(request.method) ? request.method : 'other';
  if (isConnection) return 'CONNECT';
  if (info.verb === 'patch') return isApply(request.header('content-type')) ? 'APPLY' : 'PATCH';
  return methodOf[info.verb] ?? info.verb.toUpperCase();
}

const isApply = (type: string | undefined) => type?.startsWith('application/apply-patch+') === true;

const dryRunOf = ({ request, query, isServed }: Exchange): string =>
  isServed && request.rawQuery.includes('dryRun') && query.get('dryRun') === 'All' ? 'All' : '';

function scopeOf({ name, verb, scope }: Pick<RequestInfo, 'name' | 'verb' | 'scope'>): string {
  if (name !== '' || verb === 'create') return 'resource';
  return scope === 'namespace' ? 'namespace' : 'cluster';
}
