// The pod that a connection is about, and where its node's agent has what is asked for.

import { badRequest, notFound } from '../../../../meta/status.ts';
import type { ResourceOf } from '../../../../schema/object-access.ts';
import type { ConnectCall } from '../../../../schema/subresource.ts';
import type { Pod } from './pod-type.ts';

const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };

export async function podOf({ ref, objects }: ConnectCall, name = ref.name): Promise<Pod> {
  const found = name.includes('/') ? undefined : await objects.get(pods, { ...ref, name });
  if (found === undefined) throw notFound({ ...pods, name });
  return found;
}

/** The container that is meant: the one that was named, or the only one there is. */
export function containerOf({ metadata, spec = {} }: Pod, wanted: string): string {
  const { name: podName = '' } = metadata;
  const names = (list: readonly { readonly name?: string }[] = []) => list.map(({ name = '' }) => name);
  const main = names(spec.containers);
  const init = names(spec.initContainers);
  if (wanted !== '') {
    if ([...main, ...init, ...names(spec.ephemeralContainers)].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${podName}`);
  }
  const [only, ...others] = main;
  if (only !== undefined && others.length === 0) return only;
  const or = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${main.join(' ')}]${or}`);
}

/** A path on the node's agent, for one container or for the pod. */
export function pathOf(
  what: string,
  { metadata }: Pod,
  container: string | undefined,
  parameters: URLSearchParams,
): string {
  const parts = [what, metadata.namespace ?? '', metadata.name ?? '', ...(container === undefined ? [] : [container])];
  const query = parameters.toString();
  return `/${parts.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}
