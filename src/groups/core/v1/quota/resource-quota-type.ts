// Type of ResourceQuota: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../../meta/object.ts';
import { field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { mostAmounts } from '../pod/rounded-amounts.ts';

const home = 'core/v1';

const scopedResourceSelectorRequirement = struct(
  home,
  'ScopedResourceSelectorRequirement',
  'One condition on a quota scope.',
  () => ({
    scopeName: field(1, string, {
      goType: 'ResourceQuotaScope',
      always: true,
      required: true,
      enum: [
        'BestEffort',
        'CrossNamespacePodAffinity',
        'NotBestEffort',
        'NotTerminating',
        'PriorityClass',
        'Terminating',
        'VolumeAttributesClass',
      ],
      about: 'Scope that is tested, such as PriorityClass or Terminating.',
    }),
    operator: field(2, string, {
      goType: 'ScopeSelectorOperator',
      always: true,
      required: true,
      enum: ['DoesNotExist', 'Exists', 'In', 'NotIn'],
      about: 'How to compare: In, NotIn, Exists or DoesNotExist.',
    }),
    values: field(3, listOf(string), {
      listType: 'atomic',
      about: 'Values to compare with: some for In and NotIn, none otherwise.',
    }),
  }),
);

const scopeSelector = struct(
  home,
  'ScopeSelector',
  'Selects objects for a quota by scope.',
  () => ({
    matchExpressions: field(1, listOf(scopedResourceSelectorRequirement), {
      listType: 'atomic',
      about: 'Conditions on scopes that must all hold.',
    }),
  }),
  { mapType: 'atomic' },
);

const resourceQuotaSpec = struct(
  home,
  'ResourceQuotaSpec',
  'The caps of a quota and the objects they apply to.',
  () => ({
    hard: field(1, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Cap for each resource, such as requests.cpu, pods or count/deployments.apps.',
    }),
    scopes: field(2, listOf(string), {
      goType: '[]ResourceQuotaScope',
      enum: [
        'BestEffort',
        'CrossNamespacePodAffinity',
        'NotBestEffort',
        'NotTerminating',
        'PriorityClass',
        'Terminating',
        'VolumeAttributesClass',
      ],
      listType: 'atomic',
      about: 'Only objects in all these scopes are counted, such as BestEffort or NotTerminating.',
    }),
    scopeSelector: field(3, scopeSelector, {
      pointer: true,
      about: 'Like scopes, but with operators and values; both must match if both are set.',
    }),
  }),
);

const resourceQuotaStatus = struct(home, 'ResourceQuotaStatus', 'Caps in force and current use of a quota.', () => ({
  hard: field(1, mapOf(quantity, mostAmounts), { goType: 'ResourceList', about: 'Cap in force for each resource.' }),
  used: field(2, mapOf(quantity, mostAmounts), {
    goType: 'ResourceList',
    about: 'Total of each resource now in use in the namespace.',
  }),
}));

export const resourceQuotaType = struct(
  home,
  'ResourceQuota',
  'Caps the total use of resources and number of objects in a namespace.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceQuotaSpec, { always: true, about: 'The caps that are enforced in the namespace.' }),
    status: field(3, resourceQuotaStatus, {
      always: true,
      about: 'The caps in force and the current use; written by the system.',
    }),
  }),
);

export type ResourceQuota = ApiObject & Infer<typeof resourceQuotaType>;
