// Type of LimitRange: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../../meta/object.ts';
import { field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { mostAmounts } from '../pod/rounded-amounts.ts';

const home = 'core/v1';

export const limitRangeItem = struct(home, 'LimitRangeItem', 'Limits for one kind of thing.', () => ({
  type: field(1, string, {
    goType: 'LimitType',
    always: true,
    required: true,
    about: 'What is limited: Pod, Container or PersistentVolumeClaim.',
  }),
  max: field(2, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Largest allowed amount of each resource.',
  }),
  min: field(3, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Smallest allowed amount of each resource.',
  }),
  default: field(4, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Limit given to containers that set none, per resource.',
  }),
  defaultRequest: field(5, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Request given to containers that set none, per resource.',
  }),
  maxLimitRequestRatio: field(6, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Largest allowed ratio of limit to request, per resource.',
  }),
}));

const limitRangeSpec = struct(home, 'LimitRangeSpec', 'A list of limits for a namespace.', () => ({
  limits: field(1, listOf(limitRangeItem), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'The limits, one entry per kind of thing limited.',
  }),
}));

export const limitRangeType = struct(
  home,
  'LimitRange',
  'Limits and defaults for resources of single objects in a namespace.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, limitRangeSpec, { always: true, about: 'The limits that are enforced in the namespace.' }),
  }),
);

export type LimitRange = ApiObject & Infer<typeof limitRangeType>;
