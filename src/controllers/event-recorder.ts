// What controllers have to say about objects, as events: one that happens again is counted, and no object gets many of
// them in a short time.

import { RecentMap } from '../base/recent-map.ts';
import { isForbidden, isNotFound } from '../client/client.ts';
import { checkSubdomain, generateName } from '../meta/names.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatTime } from '../meta/time.ts';
import type { ControllerContext } from './controller.ts';

export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** An object may have so many events of a type at once, and one more for each such time that passes. */
const burst = 25;
const refillMs = 5 * 60_000;
/** Events and objects that are remembered. */
const remembered = 4096;

interface Told {
  readonly path: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

interface Allowance {
  readonly left: number;
  readonly since: number;
}

export class EventRecorder {
  readonly #context: ControllerContext;
  readonly #component: string;
  readonly #told = new RecentMap<Told>(remembered);
  readonly #allowances = new RecentMap<Allowance>(remembered);

  constructor(context: ControllerContext, component: string) {
    this.#context = context;
    this.#component = component;
  }

  /** An event that cannot be told is no reason to stop. */
  async tell(about: ApiObject, { type, reason, message }: Occurrence): Promise<void> {
    const { uid = '' } = about.metadata;
    if (!this.#allows(`${uid} ${type}`)) return;
    const key = JSON.stringify([uid, type, reason, message]);
    try {
      this.#told.set(key, await this.#write(about, { type, reason, message }, this.#told.get(key)));
    } catch (error) {
      // a namespace that goes takes no more events
      if (!isForbidden(error) && !isNotFound(error))
        this.#context.onError({ err: error }, 'an event could not be told');
    }
  }

  #allows(key: string): boolean {
    const now = this.#context.clock.now();
    const { left, since } = this.#allowances.get(key) ?? { left: burst, since: now };
    const refilled = Math.floor((now - since) / refillMs);
    const full = left + refilled >= burst;
    const available = full ? burst : left + refilled;
    if (available === 0) return false;
    this.#allowances.set(key, { left: available - 1, since: full ? now : since + refilled * refillMs });
    return true;
  }

  async #write(about: ApiObject, occurrence: Occurrence, told: Told | undefined): Promise<Told> {
    const lastTimestamp = formatTime(this.#context.clock.now());
    if (told === undefined) return this.#create(about, occurrence, { firstTimestamp: lastTimestamp, count: 1 });
    const again = { ...told, count: told.count + 1 };
    try {
      await this.#context.client.merge(told.path, { count: again.count, lastTimestamp });
      return again;
    } catch (error) {
      // events are kept for some time only
      if (isNotFound(error)) return this.#create(about, occurrence, again);
      throw error;
    }
  }

  async #create(
    about: ApiObject,
    occurrence: Occurrence,
    { firstTimestamp, count }: Omit<Told, 'path'>,
  ): Promise<Told> {
    const { client, clock } = this.#context;
    const { kind, apiVersion } = about;
    const { namespace = '', name = '', uid, resourceVersion } = about.metadata;
    const now = clock.now();
    const where = namespace === '' ? 'default' : namespace;
    const events = `/api/v1/namespaces/${where}/events`;
    // some kinds have names that an event may not have
    const prefix = checkSubdomain(name).length === 0 ? name : 'event';
    const event = await client.create(events, {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: generateName(`${prefix}.${now.toString(16)}`), namespace: where },
      involvedObject: { kind, apiVersion, name, uid, resourceVersion, ...(namespace === '' ? {} : { namespace }) },
      ...occurrence,
      source: { component: this.#component },
      reportingComponent: this.#component,
      ...{ firstTimestamp, lastTimestamp: formatTime(now), count },
    });
    return { path: `${events}/${event.metadata.name}`, firstTimestamp, count };
  }
}
