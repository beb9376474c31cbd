// Types of pod group policy: PodGroupSchedulingPolicy, BasicSchedulingPolicy, GangSchedulingPolicy and others.

import { field, int32, listOf, string, struct } from '../../../schema/types.ts';

const home = 'scheduling/v1alpha2';

const basicSchedulingPolicy = struct(
  home,
  'BasicSchedulingPolicy',
  "Schedules the group's pods one by one as usual; it has no fields, so write {}.",
  {},
);

const gangSchedulingPolicy = struct(
  home,
  'GangSchedulingPolicy',
  "Schedules the group's pods together or not at all.",
  () => ({
    minCount: field(1, int32, {
      always: true,
      required: true,
      about: 'Fewest pods that must fit at the same time before any of them starts; above 0.',
    }),
  }),
);

export const podGroupSchedulingPolicy = struct(
  home,
  'PodGroupSchedulingPolicy',
  'How a group is scheduled; set exactly one field.',
  () => ({
    basic: field(1, basicSchedulingPolicy, {
      pointer: true,
      about: 'Write {} to schedule the pods one by one as usual.',
    }),
    gang: field(2, gangSchedulingPolicy, {
      pointer: true,
      about: 'Schedules the pods together, requiring a minimum number.',
    }),
  }),
);

const topologyConstraint = struct(home, 'TopologyConstraint', 'Keeps a group within one topology domain.', () => ({
  key: field(1, string, {
    always: true,
    required: true,
    about: 'Node label, such as one for zones, that must have the same value for all pods.',
  }),
}));

export const podGroupSchedulingConstraints = struct(
  home,
  'PodGroupSchedulingConstraints',
  'Limits on where the pods of a group may go.',
  () => ({
    topology: field(1, listOf(topologyConstraint), {
      listType: 'atomic',
      about: 'Topology limits that the whole group must satisfy.',
    }),
  }),
);

export const podGroupResourceClaim = struct(
  home,
  'PodGroupResourceClaim',
  'A resource claim shared by the pods of a group; set exactly one source field.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name of this entry, a lowercase DNS label unique in the group.',
    }),
    resourceClaimName: field(2, string, {
      pointer: true,
      about: "Existing ResourceClaim in the group's namespace to use.",
    }),
    resourceClaimTemplateName: field(3, string, {
      pointer: true,
      about: 'ResourceClaimTemplate in the same namespace from which one claim is made for the group.',
    }),
  }),
);
