// Conversions for work that cannot wait, such as merging the fields of several managers: where another server has to be asked, the
// work is given up, the server is asked, and the work is done again with its answer.

import { isPromise } from '../base/maybe-promise.ts';
import type { Steps } from '../base/steps.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Registry } from './registry.ts';

class ConversionNeeded {
  readonly made: Promise<void>;

  constructor(made: Promise<void>) {
    this.made = made;
  }
}

/** To be used for one piece of work, which must do the same each time it is run. */
export class AwaitedConversions {
  readonly #registry: Registry;
  readonly #made = new Map<string, ApiObject>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Ends the run of `run` where the converted object is not there yet. */
  convert(object: ApiObject, to: ResourceDefinition): ApiObject {
    const key = `${formatApiVersion(to)} ${JSON.stringify(object)}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const converted = this.#registry.convert(object, to);
    if (!isPromise(converted)) return converted;
    throw new ConversionNeeded(converted.then((made) => void this.#made.set(key, made)));
  }

  /** Each new run has one answer more, so it comes to an end. */
  *run<T>(work: () => Steps<T>): Steps<T> {
    for (;;) {
      try {
        return yield* work();
      } catch (error) {
        if (!(error instanceof ConversionNeeded)) throw error;
        yield error.made;
      }
    }
  }
}
