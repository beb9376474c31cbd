// When to look at CustomResourceDefinitions: at each change, and at all of a group when one of them gives up a name.

import { bufferOf } from '../../base/bytes.ts';
import { findValue } from '../../base/json/json-member.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { apiGroup } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { metadataOf, objectOf, type StoredChange, type StoredResource } from '../object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../work-queue.ts';
import type { DefinitionStatus } from './conditions.ts';
import { type CustomInstances, finishDeletion } from './deletion.ts';
import { type Names, usedNames } from './names.ts';
import { nextStatus } from './status.ts';
import { StructuralProblems } from './structural-problems.ts';

interface Known {
  readonly group: string;
  readonly accepted: Names;
}

const plural = 'customresourcedefinitions';

export function customResourceController(context: ControllerContext, instances: CustomInstances): Controller {
  const controller = new DefinitionController(context, instances);
  const home = apiGroup(context.dialect, 'apiextensions');
  const isDefinition = (resource: StoredResource) => resource.group === home && resource.plural === plural;
  context.feed.subscribe({
    // those of built-in groups have nothing to do with definitions
    wants: (resource) => isDefinition(resource) || resource.group.includes('.'),
    onChange(change) {
      if (isDefinition(change.resource)) controller.onDefinition(change);
      else if (change.json === undefined) controller.onInstanceGone(change.resource);
    },
    onSynced: () => controller.begin(),
    onRestart: () => controller.forget(),
  });
  return controller;
}

class DefinitionController implements Controller {
  readonly #context: ControllerContext;
  readonly #problems: StructuralProblems;
  readonly #known = new Map<string, Known>();
  /** Definitions whose deletion has begun. */
  readonly #going = new Set<string>();
  readonly #naming: WorkQueue;
  readonly #deletions: WorkQueue;
  #isSynced = false;

  constructor(context: ControllerContext, instances: CustomInstances) {
    this.#context = context;
    this.#problems = new StructuralProblems(context.dialect);
    // one at a time: the definition that comes first gets a name
    const work = (name: string) => this.#reconcile(name);
    this.#naming = context.queue({ name: 'crd_naming_condition_controller', work });
    const pathOf = (name: string) => this.#pathOf(name);
    const remove = (name: string) => finishDeletion({ context, instances, pathOf }, name);
    this.#deletions = context.queue({ name: 'crd_finalizer', workers: 5, work: remove });
  }

  onDefinition({ name, json }: StoredChange): void {
    const isHeld = json !== undefined && metadataOf(json)?.deletionTimestamp !== undefined;
    if (isHeld) this.#going.add(name);
    else this.#going.delete(name);
    this.#learn(name, json && knownFrom(json));
    if (!this.#isSynced || json === undefined) return;
    this.#naming.add(name);
    if (isHeld) this.#deletions.add(name);
  }

  /** The last object of a definition that waits for them may have gone. */
  onInstanceGone(resource: StoredResource): void {
    if (this.#going.size === 0) return;
    const name = `${resource.plural}.${resource.group}`;
    if (this.#going.has(name)) this.#deletions.add(name);
  }

  begin(): void {
    this.#isSynced = true;
    for (const name of this.#known.keys()) this.#naming.add(name);
    for (const name of this.#going) this.#deletions.add(name);
  }

  forget(): void {
    this.#isSynced = false;
    this.#known.clear();
    this.#going.clear();
  }

  async close(): Promise<void> {
    await Promise.all([this.#naming.close(), this.#deletions.close()]);
  }

  #pathOf(name: string): string {
    return `/apis/${apiGroup(this.#context.dialect, 'apiextensions')}/v1/${plural}/${encodeURIComponent(name)}`;
  }

  async #reconcile(name: string): Promise<WorkOutcome> {
    const { client } = this.#context;
    const found = await client.find<CustomResourceDefinition>(this.#pathOf(name));
    if (found === undefined) {
      this.#problems.forget(name);
      return 'done';
    }
    const status = this.#statusOf(found);
    if (status === found.status) return 'done';
    try {
      const stored = await client.replace(`${this.#pathOf(name)}/status`, { ...found, status });
      this.#learn(name, knownOf(stored as CustomResourceDefinition));
    } catch (error) {
      // it was changed or deleted meanwhile: that causes another look
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    return 'done';
  }

  #statusOf(definition: CustomResourceDefinition): DefinitionStatus {
    const { clock, dialect } = this.#context;
    const siblings = [...this.#known.values()].filter(({ group }) => group === (definition.spec?.group ?? ''));
    const used = usedNames(siblings.map(({ accepted }) => accepted));
    return nextStatus(definition, { used, dialect, problems: this.#problems, now: formatTime(clock.now()) });
  }

  /** Names that one definition no longer has may be what another one waits for. */
  #learn(name: string, next: Known | undefined): void {
    const before = this.#known.get(name);
    if (next === undefined) this.#known.delete(name);
    else this.#known.set(name, next);
    if (before !== undefined && hasGivenUp(before.accepted, next?.accepted)) this.#lookAtGroup(before.group, name);
  }

  #lookAtGroup(group: string, except: string): void {
    for (const [name, one] of this.#known) if (one.group === group && name !== except) this.#naming.add(name);
  }
}

const knownOf = ({ spec, status }: CustomResourceDefinition): Known => ({
  group: spec?.group ?? '',
  accepted: status?.acceptedNames ?? {},
});

/** Schemas are large: only what is needed is read. */
function knownFrom(json: Uint8Array): Known | undefined {
  try {
    const group = findValue(json, ['spec', 'group']);
    return {
      group: group === undefined ? '' : (JSON.parse(Buffer.from(group).toString()) as string),
      accepted: lastStatus(bufferOf(json)).acceptedNames ?? {},
    };
  } catch {
    const object = objectOf<CustomResourceDefinition>(json);
    return object && knownOf(object);
  }
}

const statusMark = Buffer.from('"status":{');

/** Status comes last; what is found further inside is no whole value up to the last brace, and fails. */
function lastStatus(json: Buffer): DefinitionStatus {
  const at = json.lastIndexOf(statusMark);
  return JSON.parse(json.toString('utf8', at + statusMark.length - 1, json.length - 1)) as DefinitionStatus;
}

function hasGivenUp(before: Names, next: Names | undefined): boolean {
  const [old, kept] = [usedNames([before]), usedNames(next ? [next] : [])];
  return (['resources', 'kinds'] as const).some((among) => [...old[among]].some((name) => !kept[among].has(name)));
}
