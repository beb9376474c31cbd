// Keeps the condition Available of APIServices true: looks again when their Service or its endpoints change, and now and
// then, because no object says when a server stops answering.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { APIService } from '../../groups/apiregistration/v1/api-service.ts';
import { apiGroup, type Dialect, labelKey } from '../../meta/dialect.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { metadataOf, type StoredChange, type StoredResource, specOf } from '../object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../work-queue.ts';
import type { Availability } from './checks.ts';
import { AvailabilityReconciler, type CheckParts } from './reconcile.ts';

const workers = 5;
const recheckMs = 30_000;
const firstPauseMs = 5;
const longestPauseMs = 30_000;

interface AvailabilityParts extends CheckParts {
  /** Told of each look at an APIService, and with undefined of one that is gone. */
  onLook(name: string, found: Availability | undefined): void;
}

export function apiAvailability(context: ControllerContext, parts: AvailabilityParts): Controller {
  const controller = new AvailabilityController(context, parts);
  const { wants, isApiService } = followed(context.dialect);
  context.feed.subscribe({
    wants,
    onChange(change) {
      if (isApiService(change.resource)) controller.onApiService(change);
      else if (change.resource.group === '') controller.onService(change);
      else controller.onSlice(change);
    },
    onRestart: () => controller.forget(),
  });
  return controller;
}

function followed(dialect: Dialect) {
  const registration = apiGroup(dialect, 'apiregistration');
  const discovery = apiGroup(dialect, 'discovery');
  const isApiService = ({ group, plural }: StoredResource) => group === registration && plural === 'apiservices';
  const isService = ({ group, plural }: StoredResource) => group === '' && plural === 'services';
  const isSlice = ({ group, plural }: StoredResource) => group === discovery && plural === 'endpointslices';
  const wants = (resource: StoredResource) => isApiService(resource) || isService(resource) || isSlice(resource);
  return { wants, isApiService };
}

class AvailabilityController implements Controller {
  readonly #reconciler: AvailabilityReconciler;
  readonly #onLook: AvailabilityParts['onLook'];
  readonly #serviceLabel: string;
  readonly #queue: WorkQueue;
  /** The service of each APIService that has one, as `namespace/name`. */
  readonly #services = new Map<string, string>();
  readonly #failures = new Map<string, number>();

  constructor(context: ControllerContext, parts: AvailabilityParts) {
    this.#reconciler = new AvailabilityReconciler(context, parts);
    this.#onLook = parts.onLook;
    this.#serviceLabel = labelKey(context.dialect, 'service-name');
    const work = (name: string) => this.#work(name);
    this.#queue = context.queue({ name: 'RemoteAvailabilityController', workers, work });
  }

  onApiService({ name, json }: StoredChange): void {
    const service = json && specOf<APIService>(json)?.service;
    if (service === undefined) this.#services.delete(name);
    else this.#services.set(name, `${service.namespace}/${service.name}`);
    if (json === undefined) this.#forget(name);
    else this.#queue.add(name);
  }

  onService({ namespace, name }: Pick<StoredChange, 'namespace' | 'name'>): void {
    this.#lookAt((service) => service === `${namespace}/${name}`);
  }

  /** The service of a slice that is gone is not known any more. */
  onSlice({ namespace, json }: StoredChange): void {
    if (this.#services.size === 0) return;
    const name = json && metadataOf(json)?.labels?.[this.#serviceLabel];
    if (name !== undefined) this.onService({ namespace, name });
    else this.#lookAt((service) => service.startsWith(`${namespace}/`));
  }

  forget(): void {
    this.#services.clear();
    this.#failures.clear();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #forget(name: string): void {
    this.#failures.delete(name);
    this.#onLook(name, undefined);
  }

  #lookAt(isChanged: (service: string) => boolean): void {
    for (const [name, service] of this.#services) if (isChanged(service)) this.#queue.add(name);
  }

  async #work(name: string): Promise<WorkOutcome> {
    const object = await this.#reconciler.find(name);
    if (object === undefined) return 'done';
    const found = await this.#reconciler.check(object);
    this.#onLook(name, found);
    try {
      await this.#reconciler.write(object, found);
    } catch (error) {
      if (isNotFound(error)) return 'done';
      if (isConflict(error)) return 'again';
      throw error;
    }
    if (object.spec?.service === undefined) return 'done';
    return found.reason === 'FailedDiscoveryCheck' ? this.#pauseAfterFailure(name) : this.#pauseAfterSuccess(name);
  }

  #pauseAfterFailure(name: string): number {
    const before = this.#failures.get(name) ?? 0;
    this.#failures.set(name, before + 1);
    return Math.min(firstPauseMs * 2 ** before, longestPauseMs);
  }

  #pauseAfterSuccess(name: string): number {
    this.#failures.delete(name);
    return recheckMs;
  }
}
