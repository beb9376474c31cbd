// A module that is loaded when it is first needed: waited for once, there at once from then on. To load one may take tens of
// milliseconds, so that is done in a turn of its own: neither what came before nor what follows is added to it.

import type { MaybePromise } from './maybe-promise.ts';
import { nextTurn } from './yield-timer.ts';

export function loadedOnce<T>(load: () => Promise<T>): () => MaybePromise<T> {
  let module: MaybePromise<T> | undefined;
  return () => {
    module ??= inOwnTurn(load).then((loaded) => {
      module = loaded;
      return loaded;
    });
    return module;
  };
}

async function inOwnTurn<T>(load: () => Promise<T>): Promise<T> {
  await nextTurn();
  const loaded = await load();
  await nextTurn();
  return loaded;
}
