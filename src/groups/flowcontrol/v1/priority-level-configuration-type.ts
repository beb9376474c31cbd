// Type of PriorityLevelConfiguration: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { transitionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'flowcontrol/v1';

const queuingConfiguration = struct(
  home,
  'QueuingConfiguration',
  'Shape of the queues in which requests wait.',
  () => ({
    queues: field(1, int32, { always: true, about: 'Number of queues for this level; default 64.' }),
    handSize: field(2, int32, {
      always: true,
      about: 'Queues dealt to each flow, which uses the shortest; default 8, not above queues.',
    }),
    queueLengthLimit: field(3, int32, {
      always: true,
      about: 'Most requests waiting in one queue before further ones are refused; default 50.',
    }),
  }),
);

export const limitResponse = struct(
  home,
  'LimitResponse',
  'What happens to a request that cannot run at once.',
  () => ({
    type: field(1, string, {
      goType: 'LimitResponseType',
      always: true,
      required: true,
      about: 'Queue makes requests wait; Reject refuses them with status 429.',
    }),
    queuing: field(2, queuingConfiguration, {
      pointer: true,
      about: 'Queue settings; only allowed when type is Queue.',
    }),
  }),
);

const limitedPriorityLevelConfiguration = struct(
  home,
  'LimitedPriorityLevelConfiguration',
  'Settings of a priority level whose concurrency is limited.',
  () => ({
    nominalConcurrencyShares: field(1, int32, {
      pointer: true,
      always: true,
      about: "Share of the server's concurrency relative to other levels; default 30.",
    }),
    limitResponse: field(2, limitResponse, { always: true, about: 'What to do with requests above the limit.' }),
    lendablePercent: field(3, int32, {
      pointer: true,
      about: "Percent of this level's share that others may borrow, 0 to 100; default 0.",
    }),
    borrowingLimitPercent: field(4, int32, {
      pointer: true,
      about: 'Most this level may borrow from others, in percent of its own share; unset means no limit.',
    }),
  }),
);

export const exemptPriorityLevelConfiguration = struct(
  home,
  'ExemptPriorityLevelConfiguration',
  'Settings of a priority level whose requests are never held back.',
  () => ({
    nominalConcurrencyShares: field(1, int32, {
      pointer: true,
      about: "Share of the server's concurrency set aside for this level; default 0.",
    }),
    lendablePercent: field(2, int32, {
      pointer: true,
      about: "Percent of this level's share that others may borrow, 0 to 100; default 0.",
    }),
  }),
);

const priorityLevelConfigurationSpec = struct(
  home,
  'PriorityLevelConfigurationSpec',
  'Desired configuration of a priority level.',
  () => ({
    type: field(1, string, {
      goType: 'PriorityLevelEnablement',
      always: true,
      required: true,
      about: 'Limited applies a concurrency limit; Exempt never holds requests back.',
    }),
    limited: field(2, limitedPriorityLevelConfiguration, {
      pointer: true,
      about: 'Settings for type Limited; must be unset for Exempt.',
    }),
    exempt: field(3, exemptPriorityLevelConfiguration, {
      pointer: true,
      about: 'Settings for type Exempt; must be unset for Limited.',
    }),
  }),
);

const priorityLevelConfigurationCondition = struct(
  home,
  'PriorityLevelConfigurationCondition',
  'One named observation about a priority level.',
  () => ({
    type: field(1, string, {
      goType: 'PriorityLevelConfigurationConditionType',
      about: 'Kind of observation, unique within the priority level.',
    }),
    status: field(2, string, { goType: 'ConditionStatus', about: 'Whether it holds now: True, False or Unknown.' }),
    ...transitionFields(3),
  }),
);

export const priorityLevelConfigurationStatus = struct(
  home,
  'PriorityLevelConfigurationStatus',
  'Observed state of a priority level.',
  () => ({
    conditions: field(1, listOf(priorityLevelConfigurationCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Current observations, at most one entry per type.',
    }),
  }),
);

export const priorityLevelConfigurationType = struct(
  home,
  'PriorityLevelConfiguration',
  'Sets how many API requests of one priority level may run at once.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, priorityLevelConfigurationSpec, { always: true, about: 'The limit, and what happens above it.' }),
    status: field(3, priorityLevelConfigurationStatus, {
      always: true,
      about: 'State reported by the server; read-only for users.',
    }),
  }),
);

export type PriorityLevelConfiguration = ApiObject & Infer<typeof priorityLevelConfigurationType>;
