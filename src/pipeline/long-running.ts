// Requests that may go on for as long as both sides like: watches, and connections to other servers.

import { isNamedLongRunning, type RequestInfo } from '../meta/request-info.ts';
import type { Resources } from '../registry/resources.ts';

export function isLongRunning(resources: Resources, info: RequestInfo): boolean {
  if (!info.isResource) return false;
  if (info.verb === 'watch') return true;
  if (info.subresource === '') return false;
  const resource = resources.find(info.group, info.version, info.resource);
  // those of other servers are known by name only
  return resource === undefined ? isNamedLongRunning(info) : resource.subresource(info.subresource)?.is === 'connect';
}
