// Keeps the condition Available of APIServices true: looks again when their Service or its endpoints change, and now and
// then, because no object says when a server stops answering.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { APIService } from '../../groups/apiregistration/v1/api-service.ts';
import type { Service } from '../../groups/core/v1/service.ts';
import type { EndpointSlice } from '../../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, labelKey } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { metadataOf, objectOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { type Availability, checkAvailability, local } from './checks.ts';

/** Asks the server of an APIService for its discovery document; throws where that fails. */
export type ProbeApi = (object: APIService) => Promise<void>;

const workers = 5;
const recheckMs = 30_000;
const firstPauseMs = 5;
const longestPauseMs = 30_000;

interface AvailabilityParts {
  readonly probe: ProbeApi;
  /** Told of each look at an APIService, and with undefined of one that is gone. */
  onLook(name: string, found: Availability | undefined): void;
}

export function apiAvailability(context: ControllerContext, { probe, onLook }: AvailabilityParts): Controller {
  const { client, clock, dialect, feed } = context;
  const group = apiGroup(dialect, 'apiregistration');
  const discovery = apiGroup(dialect, 'discovery');
  const label = labelKey(dialect, 'service-name');
  const pathOf = (name: string) => `/apis/${group}/v1/apiservices/${encodeURIComponent(name)}`;
  /** The service of each APIService that has one, as `namespace/name`. */
  const services = new Map<string, string>();
  const failures = new Map<string, number>();

  const around = (object: APIService) => ({
    service: (namespace: string, name: string) =>
      client.find<Service>(`/api/v1/namespaces/${namespace}/services/${encodeURIComponent(name)}`),
    slices: async (namespace: string, name: string) => {
      const selector = encodeURIComponent(`${label}=${name}`);
      const path = `/apis/${discovery}/v1/namespaces/${namespace}/endpointslices?labelSelector=${selector}`;
      return (await client.list(path)).items as readonly EndpointSlice[];
    },
    probe: () => probe(object),
  });

  async function work(name: string): Promise<WorkOutcome> {
    const object = await client.find<APIService>(pathOf(name));
    if (object === undefined) return 'done';
    const service = object.spec?.service;
    const found = service === undefined ? local : await checkAvailability(service, around(object));
    onLook(name, found);
    try {
      await tell(object, found);
    } catch (error) {
      if (isNotFound(error)) return 'done';
      if (isConflict(error)) return 'again';
      throw error;
    }
    if (service === undefined) return 'done';
    return found.reason === 'FailedDiscoveryCheck' ? pauseAfter(name) : passedAgain(name);
  }

  function pauseAfter(name: string): number {
    const before = failures.get(name) ?? 0;
    failures.set(name, before + 1);
    return Math.min(firstPauseMs * 2 ** before, longestPauseMs);
  }

  function passedAgain(name: string): number {
    failures.delete(name);
    return recheckMs;
  }

  async function tell(object: APIService, found: Availability): Promise<void> {
    const conditions = object.status?.conditions ?? [];
    const was = conditions.find(({ type }) => type === 'Available');
    if (was?.status === found.status && was.reason === found.reason && was.message === found.message) return;
    const lastTransitionTime = was?.status === found.status ? was.lastTransitionTime : formatTime(clock.now());
    const condition = { type: 'Available', ...found, lastTransitionTime };
    const next =
      was === undefined ? [...conditions, condition] : conditions.map((one) => (one === was ? condition : one));
    await client.replace(`${pathOf(object.metadata.name ?? '')}/status`, { ...object, status: { conditions: next } });
  }

  const queue = context.queue({ name: 'RemoteAvailabilityController', workers, work });

  function onApiService({ name, json }: StoredChange): void {
    const service = json && objectOf<APIService>(json)?.spec?.service;
    if (service === undefined) services.delete(name);
    else services.set(name, `${service.namespace}/${service.name}`);
    if (json !== undefined) queue.add(name);
    else {
      failures.delete(name);
      onLook(name, undefined);
    }
  }

  function onService(namespace: string, name: string): void {
    const changed = `${namespace}/${name}`;
    for (const [apiService, of] of services) if (of === changed) queue.add(apiService);
  }

  /** The service of a slice that is gone is not known any more. */
  function onSlice({ namespace, json }: StoredChange): void {
    const service = json && metadataOf(json)?.labels?.[label];
    if (service !== undefined) onService(namespace, service);
    else for (const [apiService, of] of services) if (of.startsWith(`${namespace}/`)) queue.add(apiService);
  }

  feed.subscribe({
    wants: (resource) =>
      (resource.group === group && resource.plural === 'apiservices') ||
      (resource.group === '' && resource.plural === 'services') ||
      (resource.group === discovery && resource.plural === 'endpointslices'),
    onChange(change) {
      if (change.resource.group === group) onApiService(change);
      else if (services.size === 0) return;
      else if (change.resource.group === '') onService(change.namespace, change.name);
      else onSlice(change);
    },
    onRestart() {
      services.clear();
      failures.clear();
    },
  });
  return { close: () => queue.close() };
}
