// A definition that is being deleted: its objects go first, then the definition.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { cleanupFinalizer } from '../../groups/apiextensions/v1/deletion.ts';
import { withMeta } from '../../meta/object.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { type DefinitionStatus, findCondition, isTrue, type ValidationError, withCondition } from './conditions.ts';

/** The objects of custom resources, whether they are served or not. */
export interface CustomInstances {
  /** Whether objects of a built-in resource are kept where those of the definition would be. */
  overlapsBuiltIn(definition: CustomResourceDefinition): boolean;
  /** Deletes every object of a definition; how many are there afterwards, held by finalizers. */
  deleteAll(definition: CustomResourceDefinition): Promise<number>;
}

interface Parts {
  readonly context: ControllerContext;
  readonly instances: CustomInstances;
  pathOf(name: string): string;
}

const terminating = (status: 'True' | 'False', reason: string, message: string): ValidationError => ({
  type: 'Terminating',
  status,
  reason,
  message,
});
const inProgress = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const overlapping = terminating(
  'False',
  'OverlappingBuiltInResource',
  'instances overlap with built-in resources in storage',
);
const neverEstablished = terminating('False', 'NeverEstablished', 'resource was never established');
const completed = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
const unconfirmed = terminating(
  'True',
  'InstanceDeletionCheck',
  'could not confirm zero CustomResources remaining: timed out waiting for the condition',
);

/** So long the objects may take until the definition says that some are left. */
const patienceMs = 60_000;

function isGoing({ metadata }: CustomResourceDefinition, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

export async function finishDeletion(parts: Parts, name: string): Promise<WorkOutcome> {
  const { client, dialect } = parts.context;
  const found = await client.find<CustomResourceDefinition>(parts.pathOf(name));
  if (found === undefined || !isGoing(found, cleanupFinalizer(dialect))) return 'done';
  try {
    return await deleteInstances(parts, found);
  } catch (error) {
    // it was changed or deleted meanwhile: that causes another look
    if (isConflict(error) || isNotFound(error)) return 'done';
    throw error;
  }
}

async function deleteInstances(parts: Parts, found: CustomResourceDefinition): Promise<WorkOutcome> {
  const { instances } = parts;
  const reason = findCondition(found.status ?? {}, 'Terminating')?.reason;
  const told = reason === unconfirmed.reason ? found : await tell(parts, found, inProgress);
  if (instances.overlapsBuiltIn(told)) return letGo(parts, told, overlapping);
  if (!isTrue(told.status ?? {}, 'Established')) return letGo(parts, told, neverEstablished);
  const remaining = await removeAll(parts, told);
  if (remaining === 0) return letGo(parts, told, completed);
  const { deletionTimestamp = '' } = told.metadata;
  if (parts.context.clock.now() - Date.parse(deletionTimestamp) > patienceMs) await tell(parts, told, unconfirmed);
  return 'again';
}

async function removeAll(parts: Parts, definition: CustomResourceDefinition): Promise<number> {
  try {
    return await parts.instances.deleteAll(definition);
  } catch (error) {
    const message = `could not issue all deletes: ${(error as Error).message}`;
    await tell(parts, definition, terminating('True', 'InstanceDeletionFailed', message));
    throw error;
  }
}

function statusWith(
  { context }: Parts,
  definition: CustomResourceDefinition,
  validationError: ValidationError,
): DefinitionStatus {
  return withCondition(definition.status ?? {}, validationError, formatTime(context.clock.now()));
}

async function tell(
  parts: Parts,
  definition: CustomResourceDefinition,
  validationError: ValidationError,
): Promise<CustomResourceDefinition> {
  const status = statusWith(parts, definition, validationError);
  return status === definition.status ? definition : replaceStatus(parts, { ...definition, status });
}

async function letGo(
  parts: Parts,
  definition: CustomResourceDefinition,
  validationError: ValidationError,
): Promise<WorkOutcome> {
  const own = cleanupFinalizer(parts.context.dialect);
  const finalizers = (definition.metadata.finalizers ?? []).filter((other) => other !== own);
  const status = statusWith(parts, definition, validationError);
  await replaceStatus(parts, { ...withMeta(definition, { finalizers }), status } as CustomResourceDefinition);
  return 'done';
}

async function replaceStatus(
  { context, pathOf }: Parts,
  definition: CustomResourceDefinition,
): Promise<CustomResourceDefinition> {
  const path = `${pathOf(definition.metadata.name ?? '')}/status`;
  return (await context.client.replace(path, definition)) as CustomResourceDefinition;
}
