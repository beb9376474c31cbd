// A module that is loaded when it is first needed: waited for once, there at once from then on.

import type { MaybePromise } from './maybe-promise.ts';

export function loadedOnce<T>(load: () => Promise<T>): () => MaybePromise<T> {
  let module: MaybePromise<T> | undefined;
  return () => {
    module ??= load().then((loaded) => {
      module = loaded;
      return loaded;
    });
    return module;
  };
}
