// How long a pod is given to end when it is deleted.

import type { ApiObject } from '../../../../meta/object.ts';

interface EndingPod extends ApiObject {
  readonly spec?: { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: number };
  readonly status?: { readonly phase?: string };
}

const defaultSeconds = 30;
const finished: readonly string[] = ['Failed', 'Succeeded'];

/** No node has to end a pod that runs nowhere or is over. */
export function podGracePeriod(object: EndingPod, asked: number | undefined): number {
  const { spec = {}, status = {} } = object;
  if (!spec.nodeName || finished.includes(status.phase ?? '')) return 0;
  return asked ?? spec.terminationGracePeriodSeconds ?? defaultSeconds;
}
