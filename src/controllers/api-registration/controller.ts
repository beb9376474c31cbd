// Keeps the APIServices of what the server serves itself: those that clients made or changed on purpose are left alone.

import { isDeepStrictEqual } from 'node:util';
import { isConflict, isNotFound } from '../../client/client.ts';
import { apiGroup, automanagedLabel } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import type { StoredChange, StoredResource } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { type Registration, Registrations, type ServedApi } from './registrations.ts';

const plural = 'apiservices';
const definitions = 'customresourcedefinitions';

/** `served` are the group-versions of the server's own. */
export function apiRegistration(context: ControllerContext, served: readonly ServedApi[]): Controller {
  const registrar = new Registrar(context, served);
  return { close: () => registrar.close() };
}

class Registrar {
  readonly #context: ControllerContext;
  readonly #group: string;
  readonly #wanted: Registrations;
  readonly #queue: ReturnType<ControllerContext['queue']>;
  /** Registrations that were there before this controller. */
  readonly #atStart = new Set<string>();
  /** Registrations that were looked at without an error. */
  readonly #seen = new Set<string>();
  #synced = false;

  constructor(context: ControllerContext, served: readonly ServedApi[]) {
    const { dialect } = context;
    this.#context = context;
    this.#group = apiGroup(dialect, 'apiregistration');
    // who keeps the registrations is not among them
    const others = served.filter(({ group }) => group !== this.#group);
    this.#wanted = new Registrations(others, dialect);
    this.#queue = context.queue({ name: 'autoregister', work: (name) => this.#work(name) });
    const home = apiGroup(dialect, 'apiextensions');
    const isDefinition = ({ group, plural: found }: StoredResource) => group === home && found === definitions;
    context.feed.subscribe({
      wants: (resource) => isDefinition(resource) || (resource.group === this.#group && resource.plural === plural),
      onChange: (change) => (isDefinition(change.resource) ? this.#onDefinition(change) : this.#onService(change)),
      onSynced: () => this.#begin(),
      onRestart: () => this.#restart(),
    });
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #onDefinition({ name, json }: StoredChange): void {
    const changed = this.#wanted.learn(name, json);
    if (this.#synced) for (const one of changed) this.#queue.add(one);
  }

  #onService({ name }: StoredChange): void {
    if (this.#synced) this.#queue.add(name);
    else this.#atStart.add(name);
  }

  #begin(): void {
    this.#synced = true;
    for (const name of [...this.#wanted.names, ...this.#atStart]) this.#queue.add(name);
  }

  /** Definitions are told again; what was gone meanwhile is found among the registrations, which are told again as well. */
  #restart(): void {
    this.#synced = false;
    this.#wanted.forget();
  }

  async #work(name: string): Promise<WorkOutcome> {
    if (this.#context.kinds.byPlural(this.#group, plural) === undefined) return 'done';
    const path = `/apis/${this.#group}/v1/${plural}`;
    try {
      await this.#align(path, name, await this.#context.client.find(`${path}/${name}`));
    } catch (error) {
      // it was made, changed or deleted meanwhile: that causes another look
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    this.#seen.add(name);
    return 'done';
  }

  async #align(path: string, name: string, found: ApiObject | undefined): Promise<void> {
    const { client } = this.#context;
    const wanted = this.#wanted.find(name);
    const isOver = this.#seen.has(name);
    if (wanted?.managed === 'onstart' && isOver) return;
    if (found === undefined) await (wanted ? client.create(path, wanted.object) : undefined);
    else if (this.#isOurs(name, found, isOver)) await this.#bringInLine(`${path}/${name}`, found, wanted);
  }

  /** One that is kept since the start is looked at once. */
  #isOurs(name: string, { metadata }: ApiObject, isOver: boolean): boolean {
    const managed = metadata.labels?.[automanagedLabel(this.#context.dialect)];
    return managed === 'true' || (managed === 'onstart' && this.#atStart.has(name) && !isOver);
  }

  async #bringInLine(path: string, found: ApiObject, wanted: Registration | undefined): Promise<void> {
    const { client } = this.#context;
    if (wanted === undefined) await client.delete(path, { preconditions: { uid: found.metadata.uid } });
    else if (!isDeepStrictEqual(found['spec'], wanted.object['spec']))
      await client.replace(path, { ...found, spec: wanted.object['spec'] });
  }
}
