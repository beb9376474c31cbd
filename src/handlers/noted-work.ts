// A part of the work of a verb as its own span, while a trace is taken.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Exchange } from '../meta/exchange.ts';

/** Names of kube-apiserver's spans. */
type WorkName = 'cacher.Get' | 'cacher.GetList' | 'SerializeObject';

export function noted<T>({ notes, info }: Exchange, name: WorkName, work: () => MaybePromise<T>): MaybePromise<T> {
  if (notes === undefined) return work();
  const { group, resource } = info;
  const span = notes.begin(name, { type: group === '' ? resource : `${resource}.${group}` });
  const result = work();
  if (isPromise(result)) return result.finally(() => span.end());
  span.end();
  return result;
}
