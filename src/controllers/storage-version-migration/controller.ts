// StorageVersionMigrations: one of a resource runs at a time; it says from which version on nothing has to be done, stores
// everything older again, and says how that came out.

import { isConflict, isNotFound, RequestError } from '../../client/client.ts';
import type { StorageVersionMigration } from '../../groups/storagemigration/v1beta1/storage-version-migration.ts';
import { apiGroup } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { objectOf, only, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { tellEnded, tellStarted } from './definition-status.ts';
import { findResource, isPassing, newestVersion, rewriteAll, type ServedResource } from './rewrite.ts';
import { completed, failed, holds, isOver, running, succeeded, turnsOf, withCondition } from './status.ts';

export const migratorName = 'storage-version-migrator-controller';

/** Verbs without which objects cannot be stored again. */
const neededVerbs = ['update', 'patch', 'list'] as const;

/** A resource that is not there may be about to come for so long. */
const patienceMs = 60_000;
const pauseMs = 1000;

export function storageVersionMigrator(context: ControllerContext): Controller {
  const migrator = new Migrator(context);
  return { close: () => migrator.close() };
}

class Migrator {
  readonly #context: ControllerContext;
  readonly #queue: ReturnType<ControllerContext['queue']>;
  readonly #closing = new AbortController();
  readonly #group: string;
  /** The resource that each migration is about. */
  readonly #about = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#group = apiGroup(context.dialect, 'storagemigration');
    this.#queue = context.queue({ name: migratorName, workers: 5, work: (key) => this.#work(key) });
    context.feed.subscribe({
      wants: only(this.#group, 'storageversionmigrations'),
      onChange: (change) => this.#onChange(change),
      onRestart: () => this.#about.clear(),
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.close();
  }

  #onChange({ name, json }: StoredChange): void {
    const migration = json && objectOf<StorageVersionMigration>(json);
    const key = migration === undefined ? this.#about.get(name) : keyOf(migration);
    if (migration === undefined) this.#about.delete(name);
    else this.#about.set(name, keyOf(migration));
    if (key !== undefined) this.#queue.add(key);
  }

  async #work(key: string): Promise<WorkOutcome> {
    try {
      return await this.#takeTurns(key);
    } catch (error) {
      // it was changed or deleted meanwhile, or the server is closing: there will be another look
      if (isConflict(error) || isNotFound(error) || this.#closing.signal.aborted) return 'done';
      throw error;
    }
  }

  async #takeTurns(key: string): Promise<WorkOutcome> {
    const { active, next } = turnsOf(await this.#migrationsOf(key));
    for (const migration of active) {
      const outcome = isOver(migration) ? await this.#finish(migration) : await this.#go(migration);
      if (outcome !== 'done') return outcome;
    }
    if (next !== undefined) await this.#start(next);
    return 'done';
  }

  async #migrationsOf(key: string): Promise<readonly StorageVersionMigration[]> {
    const names = [...this.#about].filter(([, about]) => about === key).map(([name]) => name);
    const found = await Promise.all(
      names.map((name) => this.#context.client.find<StorageVersionMigration>(this.#path(name))),
    );
    return found.filter((one) => one !== undefined);
  }

  async #start(migration: StorageVersionMigration): Promise<void> {
    await tellStarted(this.#context, keyOf(migration), migration.metadata.name ?? '');
    await this.#tell(migration, running);
  }

  async #finish(migration: StorageVersionMigration): Promise<WorkOutcome> {
    await tellEnded(this.#context, keyOf(migration), holds(migration, succeeded));
    await this.#tell(migration, completed);
    return 'done';
  }

  /** Each step is told, and its own change causes the next. */
  async #go(migration: StorageVersionMigration): Promise<WorkOutcome> {
    const { resource: plural = '', group = '' } = migration.spec?.resource ?? {};
    const resource = await findResource(this.#context.client, group, plural);
    if (resource === undefined) return this.#await(migration, 'resource does not exist in discovery');
    if (!neededVerbs.every((verb) => resource.verbs.includes(verb)))
      return this.#tell(migration, failed(unfit(resource)));
    const { resourceVersion = '' } = migration.status ?? {};
    return resourceVersion === ''
      ? this.#mark(migration, resource)
      : this.#migrate(migration, resource, resourceVersion);
  }

  async #mark(migration: StorageVersionMigration, resource: ServedResource): Promise<WorkOutcome> {
    const resourceVersion = await newestVersion(this.#context.client, resource);
    return this.#replace({ ...migration, status: { ...migration.status, resourceVersion } });
  }

  async #migrate(migration: StorageVersionMigration, resource: ServedResource, upTo: string): Promise<WorkOutcome> {
    const { signal } = this.#closing;
    try {
      const { client } = this.#context;
      const outcome = await rewriteAll({ client, resource, upTo, fieldManager: migratorName, signal });
      return outcome === 'done' ? this.#tell(migration, succeeded) : outcome;
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof RequestError ? error.told : (error as Error).message;
      const told = `migration encountered unhandled error: ${why}`;
      return isPassing(error) ? this.#await(migration, told) : this.#tell(migration, failed(told));
    }
  }

  /** Another try in a moment, while there is hope. */
  async #await(migration: StorageVersionMigration, why: string): Promise<WorkOutcome> {
    const age = this.#context.clock.now() - Date.parse(migration.metadata.creationTimestamp ?? '');
    return age < patienceMs ? pauseMs : this.#tell(migration, failed(why));
  }

  #tell(migration: StorageVersionMigration, condition: Parameters<typeof withCondition>[1]): Promise<WorkOutcome> {
    return this.#replace(withCondition(migration, condition, formatTime(this.#context.clock.now())));
  }

  async #replace(migration: StorageVersionMigration): Promise<WorkOutcome> {
    await this.#context.client.replace(`${this.#path(migration.metadata.name ?? '')}/status`, migration);
    return 'done';
  }

  #path(name: string): string {
    return `/apis/${this.#group}/v1beta1/storageversionmigrations/${encodeURIComponent(name)}`;
  }
}

/** Also the name of the definition, where there is one. */
function keyOf({ spec }: StorageVersionMigration): string {
  const { resource = '', group = '' } = spec?.resource ?? {};
  return `${resource}.${group}`;
}

const unfit = ({ group, version, plural }: ServedResource) =>
  `resource "${group}/${version}, Resource=${plural}" does not support discovery operations: [${neededVerbs.join(' ')}]`;
