// One look at an APIService: checks whether its server can be used, and writes the condition Available where it changed.

import type { Client } from '../../client/client.ts';
import type { APIService } from '../../groups/apiregistration/v1/api-service.ts';
import { apiGroup } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import { type Around, type Availability, checkAvailability, local, type StoredServices } from './checks.ts';

/** Asks the server of an APIService for its discovery document; throws where that fails. */
export type ProbeApi = (object: APIService) => Promise<void>;

export interface CheckParts {
  readonly probe: ProbeApi;
  /** As this server stores them: another one may answer for Services and EndpointSlices meanwhile. */
  readonly stored: StoredServices;
}

export class AvailabilityReconciler {
  readonly #context: ControllerContext;
  readonly #parts: CheckParts;

  constructor(context: ControllerContext, parts: CheckParts) {
    this.#context = context;
    this.#parts = parts;
  }

  get #client(): Client {
    return this.#context.client;
  }

  find(name: string): Promise<APIService | undefined> {
    return this.#client.find<APIService>(this.#pathOf(name));
  }

  async check(object: APIService): Promise<Availability> {
    const service = object.spec?.service;
    return service === undefined ? local : checkAvailability(service, this.#around(object));
  }

  async write(object: APIService, found: Availability): Promise<void> {
    const conditions = withAvailable(object, found, formatTime(this.#context.clock.now()));
    if (conditions === undefined) return;
    await this.#client.replace(`${this.#pathOf(object.metadata.name ?? '')}/status`, {
      ...object,
      status: { conditions },
    });
  }

  #pathOf(name: string): string {
    return `/apis/${apiGroup(this.#context.dialect, 'apiregistration')}/v1/apiservices/${encodeURIComponent(name)}`;
  }

  #around(object: APIService): Around {
    return {
      ...this.#parts.stored,
      probe: () => this.#parts.probe(object),
    };
  }
}

type Conditions = NonNullable<NonNullable<APIService['status']>['conditions']>;

/** The conditions with what was found; undefined where they say so already. */
function withAvailable({ status }: APIService, found: Availability, now: string): Conditions | undefined {
  const conditions = status?.conditions ?? [];
  const was = conditions.find(({ type }) => type === 'Available');
  if (was?.status === found.status && was.reason === found.reason && was.message === found.message) return undefined;
  const lastTransitionTime = was?.status === found.status ? (was.lastTransitionTime ?? now) : now;
  const condition = { type: 'Available', ...found, lastTransitionTime };
  return was === undefined ? [...conditions, condition] : conditions.map((one) => (one === was ? condition : one));
}
