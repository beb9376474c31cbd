// Types of resources: VolumeResourceRequirements, ResourceRequirements, ResourceClaim.

import { field, listOf, mapOf, quantity, string, struct } from '../../../../schema/types.ts';
import { mostAmounts } from './rounded-amounts.ts';

const home = 'core/v1';

export const volumeResourceRequirements = struct(
  home,
  'VolumeResourceRequirements',
  'The wanted size of a volume.',
  () => ({
    limits: field(1, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Largest accepted size, as storage: 20Gi; rarely used.',
    }),
    requests: field(2, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Smallest accepted size, as storage: 10Gi.',
    }),
  }),
);

const resourceClaim = struct(
  home,
  'ResourceClaim',
  'Gives a container access to one of the resource claims of its pod.',
  () => ({
    name: field(1, string, { always: true, required: true, about: 'Name of an entry in resourceClaims of the pod.' }),
    request: field(2, string, { about: 'Single request within the claim to expose; all of them if left out.' }),
  }),
);

export const resourceRequirements = struct(
  home,
  'ResourceRequirements',
  'How much of each compute resource is reserved and how much may be used.',
  () => ({
    limits: field(1, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Most of each resource that may be used, such as cpu "500m" or memory 256Mi.',
    }),
    requests: field(2, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Amount of each resource reserved at scheduling; defaults to the limit if one is set.',
    }),
    claims: field(3, listOf(resourceClaim), {
      listType: 'map',
      mapKeys: ['name'],
      about: "Entries of the pod's resourceClaims that are made available to this container.",
    }),
  }),
);
