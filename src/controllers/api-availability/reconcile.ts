// One look at an APIService: checks whether its server can be used, and writes the condition Available where it changed.

import type { Client } from '../../client/client.ts';
import type { APIService } from '../../groups/apiregistration/v1/api-service.ts';
import type { Service } from '../../groups/core/v1/service.ts';
import type { EndpointSlice } from '../../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, labelKey } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { ObjectAccess } from '../../schema/resource.ts';
import type { ControllerContext } from '../controller.ts';
import { type Around, type Availability, checkAvailability, local } from './checks.ts';

/** Asks the server of an APIService for its discovery document; throws where that fails. */
export type ProbeApi = (object: APIService) => Promise<void>;

export interface CheckParts {
  readonly probe: ProbeApi;
  /** What this server stores itself: another server may answer for Services and EndpointSlices meanwhile. */
  readonly objects: Pick<ObjectAccess, 'get' | 'list'>;
}

const services = { group: '', version: 'v1', resource: 'services' };

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
      service: (namespace, name) => this.#parts.objects.get<Service>(services, { namespace, name }),
      slices: (namespace, name) => this.#slices(namespace, name),
      probe: () => this.#parts.probe(object),
    };
  }

  async #slices(namespace: string, name: string): Promise<readonly EndpointSlice[]> {
    const { dialect } = this.#context;
    const slices = { group: apiGroup(dialect, 'discovery'), version: 'v1', resource: 'endpointslices' };
    const label = labelKey(dialect, 'service-name');
    const all = await this.#parts.objects.list<EndpointSlice>(slices, namespace);
    return all.filter(({ metadata }) => metadata.labels?.[label] === name);
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
