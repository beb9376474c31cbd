// What a migration tells the definition of a custom resource: that it runs, how it ended, and which versions are stored now.

import { isConflict } from '../../client/client.ts';
import type { CustomResourceDefinition } from '../../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { apiGroup } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';

interface Told {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly storedVersions?: readonly string[];
}

const managerName = 'migration-runner-controller';
const conditionType = 'StorageMigrating';

export function tellStarted(context: ControllerContext, definition: string, migration: string): Promise<void> {
  return tell(context, definition, () => ({
    status: 'True',
    reason: 'MigrationRunning',
    message: `Migration ${migration} is running`,
  }));
}

/** A definition that changed meanwhile may have objects in another version again: it keeps the versions that are stored. */
export function tellEnded(context: ControllerContext, definition: string, isSuccess: boolean): Promise<void> {
  return tell(context, definition, (found) => {
    if (!isSuccess) return { status: 'False', reason: 'MigrationFailed', message: 'The migration has failed' };
    const isSame = generationSeen(found) === found.metadata.generation;
    return {
      status: 'False',
      reason: 'MigrationSucceeded',
      message: `The migration has succeeded ${isSame ? updated : mismatch}`,
      ...(isSame ? { storedVersions: storageVersionOf(found) } : {}),
    };
  });
}

const updated = 'and the stored versions have been updated';
const mismatch = 'but the stored versions have not been updated due to a generation mismatch';

const generationSeen = ({ status }: CustomResourceDefinition) =>
  (status?.conditions ?? []).find(({ type }) => type === conditionType)?.observedGeneration;

const storageVersionOf = ({ spec }: CustomResourceDefinition): readonly string[] =>
  (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name = '' }) => name);

/** A resource without a definition has nothing to be told. */
async function tell(
  context: ControllerContext,
  name: string,
  next: (found: CustomResourceDefinition) => Told,
): Promise<void> {
  const { client, dialect } = context;
  const path = `/apis/${apiGroup(dialect, 'apiextensions')}/v1/customresourcedefinitions/${encodeURIComponent(name)}`;
  for (;;) {
    const found = await client.find<CustomResourceDefinition>(path);
    if (found === undefined) return;
    try {
      await client.apply(`${path}/status`, statusOf(context, found, next(found)), managerName, { force: true });
      return;
    } catch (error) {
      // it changed meanwhile
      if (!isConflict(error)) throw error;
    }
  }
}

function statusOf({ clock }: ControllerContext, found: CustomResourceDefinition, told: Told): object {
  const { kind, apiVersion, metadata } = found;
  const { storedVersions, ...condition } = told;
  const { name, resourceVersion, generation: observedGeneration } = metadata;
  const lastTransitionTime = formatTime(clock.now());
  return {
    kind,
    apiVersion,
    metadata: { name, resourceVersion },
    status: {
      conditions: [{ type: conditionType, ...condition, lastTransitionTime, observedGeneration }],
      ...(storedVersions ? { storedVersions } : {}),
    },
  };
}
