// What controllers have to say about objects, as events: one that happens again is counted, and no object gets many of
// them in a short time.

import { hostname } from 'node:os';
import { RecentMap } from '../base/maps/recent-map.ts';
import { isForbidden, isNotFound } from '../client/client.ts';
import { checkSubdomain, generateName } from '../meta/names.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatMicroTime, formatTime } from '../meta/time.ts';
import type { ControllerContext } from './controller.ts';

export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** What is done about it. Such events become a series when they happen again; others have a count. */
  readonly action?: string;
  /** The part of the object that the event is about. */
  readonly fieldPath?: string;
  /** The machine that reports it, where that is another than this one. */
  readonly host?: string;
}

/** An object may have so many events of a type at once, and one more for each such time that passes. */
const burst = 25;
const refillMs = 5 * 60_000;
/** Events and objects that are remembered. */
const remembered = 4096;

interface Told extends Happening {
  readonly path: string;
}

interface Happening {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

interface Allowance {
  readonly left: number;
  readonly since: number;
}

type RecorderContext = Pick<ControllerContext, 'client' | 'clock' | 'onError'>;

export class EventRecorder {
  readonly #context: RecorderContext;
  readonly #component: string;
  readonly #told = new RecentMap<Told>(remembered);
  readonly #allowances = new RecentMap<Allowance>(remembered);

  constructor(context: RecorderContext, component: string) {
    this.#context = context;
    this.#component = component;
  }

  /** An event that cannot be told is no reason to stop. */
  async tell(about: ApiObject, occurrence: Occurrence): Promise<void> {
    const { type, reason, message } = occurrence;
    const { uid = '' } = about.metadata;
    if (!this.#allows(`${uid} ${type}`)) return;
    const key = JSON.stringify([uid, type, reason, message]);
    try {
      this.#told.set(key, await this.#write(about, occurrence, this.#told.get(key)));
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
    const now = this.#context.clock.now();
    if (told === undefined) return this.#create(about, occurrence, { first: now, last: now, count: 1 });
    const again = { ...told, last: now, count: told.count + 1 };
    try {
      await this.#context.client.merge(told.path, repetition(occurrence, again));
      return again;
    } catch (error) {
      // events are kept for some time only
      if (isNotFound(error)) return this.#create(about, occurrence, again);
      throw error;
    }
  }

  async #create(about: ApiObject, occurrence: Occurrence, happening: Happening): Promise<Told> {
    const { kind, apiVersion } = about;
    const { fieldPath, host, ...content } = occurrence;
    const { namespace = '', name = '', uid, resourceVersion } = about.metadata;
    const where = namespace === '' ? 'default' : namespace;
    const events = `/api/v1/namespaces/${where}/events`;
    // some kinds have names that an event may not have
    const prefix = checkSubdomain(name).length === 0 ? name : 'event';
    const event = await this.#context.client.create(events, {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: generateName(`${prefix}.${happening.last.toString(16)}`), namespace: where },
      involvedObject: {
        ...{ kind, apiVersion, name, uid, resourceVersion },
        ...(namespace === '' ? {} : { namespace }),
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      ...content,
      ...this.#origin(occurrence),
      ...beginning(occurrence, happening),
      ...repetition(occurrence, happening),
    });
    const { first, last, count } = happening;
    return { path: `${events}/${event.metadata.name}`, first, last, count };
  }

  #origin({ action, host }: Occurrence): object {
    const component = this.#component;
    if (action !== undefined)
      return { reportingComponent: component, reportingInstance: `${component}-${host ?? hostname()}` };
    return host === undefined
      ? { source: { component }, reportingComponent: component }
      : { source: { component, host }, reportingComponent: component, reportingInstance: host };
  }
}

const beginning = ({ action }: Occurrence, { first }: Happening): object =>
  action === undefined ? { firstTimestamp: formatTime(first) } : { eventTime: formatMicroTime(first) };

function repetition({ action }: Occurrence, { last, count }: Happening): object {
  if (action === undefined) return { count, lastTimestamp: formatTime(last) };
  return count === 1 ? {} : { series: { count, lastObservedTime: formatMicroTime(last) } };
}
