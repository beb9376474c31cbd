// When to look at CustomResourceDefinitions: at each change, and at all of a group when one of them gives up a name.

import { bufferOf } from '../../base/bytes.ts';
import { findValue } from '../../base/json-member.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition.ts';
import { apiGroup } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { metadataOf, objectOf, type StoredChange, type StoredResource } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import type { DefinitionStatus } from './conditions.ts';
import { type CustomInstances, finishDeletion } from './deletion.ts';
import { type Names, usedNames } from './names.ts';
import { nextStatus } from './status.ts';
import { StructuralProblems } from './structural-problems.ts';

interface Known {
  readonly group: string;
  readonly accepted: Names;
}

export function customResourceController(context: ControllerContext, instances: CustomInstances): Controller {
  const { client, clock, dialect, feed } = context;
  const home = apiGroup(dialect, 'apiextensions');
  const plural = 'customresourcedefinitions';
  const pathOf = (name: string) => `/apis/${home}/v1/${plural}/${encodeURIComponent(name)}`;
  const known = new Map<string, Known>();
  const going = new Set<string>();
  const problems = new StructuralProblems(dialect);
  let synced = false;

  /** One at a time: who comes first gets a name. */
  const naming = context.queue({ name: 'crd_naming_condition_controller', work: bringUpToDate });
  const deletions = context.queue({
    name: 'crd_finalizer',
    workers: 5,
    work: (name) => finishDeletion({ context, instances, pathOf }, name),
  });

  async function bringUpToDate(name: string): Promise<WorkOutcome> {
    const found = await client.find<CustomResourceDefinition>(pathOf(name));
    if (found === undefined) {
      problems.forget(name);
      return 'done';
    }
    const group = found.spec?.group ?? '';
    const used = usedNames([...known.values()].filter((one) => one.group === group).map((one) => one.accepted));
    const status = nextStatus(found, { used, dialect, problems, now: formatTime(clock.now()) });
    if (status === found.status) return 'done';
    try {
      const stored = await client.replace(`${pathOf(name)}/status`, { ...found, status });
      learn(name, knownOf(stored as CustomResourceDefinition));
    } catch (error) {
      // it was changed or deleted meanwhile: that causes another look
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    return 'done';
  }

  /** Names that one definition no longer has may be what another one waits for. */
  function learn(name: string, next: Known | undefined): void {
    const before = known.get(name);
    if (next === undefined) known.delete(name);
    else known.set(name, next);
    if (before !== undefined && hasGivenUp(before.accepted, next?.accepted)) lookAtGroup(before.group, name);
  }

  function lookAtGroup(group: string, except: string): void {
    for (const [name, one] of known) if (one.group === group && name !== except) naming.add(name);
  }

  function onDefinition({ name, json }: StoredChange): void {
    const isHeld = json !== undefined && metadataOf(json)?.deletionTimestamp !== undefined;
    if (isHeld) going.add(name);
    else going.delete(name);
    learn(name, json && knownFrom(json));
    if (!synced || json === undefined) return;
    naming.add(name);
    if (isHeld) deletions.add(name);
  }

  feed.subscribe({
    // those of built-in groups have nothing to do with definitions
    wants: (resource) => isDefinition(resource) || resource.group.includes('.'),
    onChange(change) {
      const { resource, json } = change;
      if (isDefinition(resource)) onDefinition(change);
      else if (json === undefined && going.size > 0) lookAtDeleted(`${resource.plural}.${resource.group}`);
    },
    onSynced() {
      synced = true;
      for (const name of known.keys()) naming.add(name);
      for (const name of going) deletions.add(name);
    },
    onRestart() {
      synced = false;
      known.clear();
      going.clear();
    },
  });

  const isDefinition = (resource: StoredResource) => resource.group === home && resource.plural === plural;
  /** The last object of a definition that waits for them may have gone. */
  const lookAtDeleted = (name: string) => {
    if (going.has(name)) deletions.add(name);
  };

  return {
    async close() {
      await Promise.all([naming.close(), deletions.close()]);
    },
  };
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
