// Requests that may go on for as long as both sides like: watches, and connections to other servers.

import type { RequestInfo } from '../meta/request-info.ts';
import type { Resources } from '../registry/resources.ts';

export function isLongRunning(resources: Resources, info: RequestInfo): boolean {
  if (!info.isResource) return false;
  if (info.verb === 'watch') return true;
  if (info.subresource === '') return false;
  return resources.find(info.group, info.version, info.resource)?.subresource(info.subresource)?.is === 'connect';
}
