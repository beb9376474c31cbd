// Priority and fairness by the objects that are stored: every thread follows them.

import type { Follower } from '../admission/lookup.ts';
import type { SharedCounts } from '../base/shared-counts.ts';
import { systemClock } from '../base/time/clock.ts';
import { FlowControl } from '../flow-control/flow-control.ts';
import type { FlowSchema } from '../groups/flowcontrol/v1/flow-schema-type.ts';
import type { PriorityLevelConfiguration } from '../groups/flowcontrol/v1/priority-level-configuration-type.ts';
import { apiGroup, flowHeader } from '../meta/dialect.ts';
import { firstSeatColumn } from '../pipeline/limit.ts';
import { requestSizes } from './request-sizes.ts';
import { ResourceFollower } from './resource-follower.ts';
import type { LoggedConfig } from './server-log.ts';
import type { Engines } from './start/engines.ts';

export interface ServedFlowControl {
  /** Undefined where requests are limited by number only. */
  readonly control: FlowControl | undefined;
  /** Resolves when the objects that are stored apply. */
  start(): Promise<void>;
  close(): void;
}

const byNumberOnly: ServedFlowControl = { control: undefined, start: async () => {}, close: () => {} };

/** A server that does not serve the objects, or has no limit at all, limits by number. */
export function createFlowControl(
  { usesPriorities, inFlight, clock, dialect, requestTimeoutMs }: LoggedConfig,
  { resources, deadlines }: Pick<Engines, 'resources' | 'deadlines'>,
  counts: SharedCounts,
): ServedFlowControl {
  const serverSeats = inFlight.maxRequestsInflight + inFlight.maxMutatingRequestsInflight;
  const group = apiGroup(dialect, 'flowcontrol.apiserver');
  const levels = resources.find(group, 'v1', 'prioritylevelconfigurations')?.registry;
  const schemas = resources.find(group, 'v1', 'flowschemas')?.registry;
  if (!usesPriorities || serverSeats === 0 || levels === undefined || schemas === undefined) return byNumberOnly;
  const sizes = requestSizes(resources, clock);
  const control = new FlowControl({
    ...{ clock, deadlines, serverSeats, requestTimeoutMs, sizes, counts },
    headers: { level: flowHeader(dialect, 'prioritylevel'), schema: flowHeader(dialect, 'flowschema') },
    firstColumn: firstSeatColumn,
  });
  const followers = [
    new ResourceFollower(levels, clock, levelFollower(control)),
    new ResourceFollower(schemas, clock, schemaFollower(control)),
  ];
  return {
    control,
    async start() {
      await Promise.all(followers.map((follower) => follower.start()));
      // load comes in real time: a test that advances the server's clock by a year needs no million adjustments
      control.start(systemClock);
    },
    close() {
      for (const follower of followers) follower.close();
      control.close();
    },
  };
}

const levelFollower = ({ table }: FlowControl): Follower => ({
  onReset: () => table.clearLevels(),
  onPut: (object) => table.putLevel(object as PriorityLevelConfiguration),
  onRemove: ({ metadata }) => table.removeLevel(metadata.name ?? ''),
});

const schemaFollower = ({ table }: FlowControl): Follower => ({
  onReset: () => table.clearSchemas(),
  onPut: (object) => table.putSchema(object as FlowSchema),
  onRemove: ({ metadata }) => table.removeSchema(metadata.name ?? ''),
});
