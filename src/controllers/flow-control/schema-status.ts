// Says in the status of flow schemas whether the priority level they name exists.

import { isNotFound } from '../../client/client.ts';
import type { FlowSchema } from '../../groups/flowcontrol/v1/flow-schema-type.ts';
import { apiGroup } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext, ControllerFactory } from '../controller.ts';
import { objectOf, only } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

const managerName = 'api-priority-and-fairness-config-consumer-v1';
const conditionType = 'Dangling';

export const flowSchemaStatus: ControllerFactory = (context) => {
  const group = apiGroup(context.dialect, 'flowcontrol.apiserver');
  const collection = `/apis/${group}/v1/flowschemas`;
  const levels = new Set<string>();
  /** Names of levels, by the schemas that name them. */
  const references = new Map<string, string>();
  let synced = false;

  async function work(name: string): Promise<WorkOutcome> {
    try {
      await report(context, `${collection}/${encodeURIComponent(name)}`, (level) => levels.has(level));
      return 'done';
    } catch (error) {
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }
  const queue = context.queue({ name: 'priority_and_fairness_config_queue', work });

  function onLevel(name: string, exists: boolean): void {
    if (exists === levels.has(name)) return;
    if (exists) levels.add(name);
    else levels.delete(name);
    if (synced) for (const [schema, level] of references) if (level === name) queue.add(schema);
  }

  function onSchema(name: string, json: Uint8Array | undefined): void {
    const level = json && objectOf<FlowSchema>(json)?.spec?.priorityLevelConfiguration?.name;
    if (level === undefined) references.delete(name);
    else references.set(name, level);
    if (synced && level !== undefined) queue.add(name);
  }

  context.feed.subscribe({
    wants: only(group, 'flowschemas', 'prioritylevelconfigurations'),
    onChange({ resource, name, json }) {
      if (resource.plural === 'flowschemas') onSchema(name, json);
      else onLevel(name, json !== undefined);
    },
    onSynced() {
      synced = true;
      for (const schema of references.keys()) queue.add(schema);
    },
    onRestart() {
      synced = false;
      levels.clear();
      references.clear();
    },
  });
  return { close: () => queue.close() };
};

async function report(context: ControllerContext, path: string, exists: (level: string) => boolean): Promise<void> {
  const schema = await context.client.find<FlowSchema>(path);
  const level = schema?.spec?.priorityLevelConfiguration?.name;
  if (schema === undefined || level === undefined) return;
  const wanted = conditionFor(level, exists(level));
  const old = schema.status?.conditions?.find(({ type }) => type === conditionType);
  if (old?.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message) return;
  const since = old?.status === wanted.status ? old.lastTransitionTime : undefined;
  const condition = { ...wanted, lastTransitionTime: since ?? formatTime(context.clock.now()) };
  const { apiVersion, kind, metadata } = schema;
  const object = { apiVersion, kind, metadata: { name: metadata.name }, status: { conditions: [condition] } };
  await context.client.apply(`${path}/status`, object, managerName, { force: true });
}

function conditionFor(level: string, exists: boolean) {
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return {
    type: conditionType,
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: exists ? `${subject} and it exists` : `${subject} but there is no such object`,
  };
}
