// Types of selectors: NodeSelector, NodeSelectorTerm, NodeSelectorRequirement and others.

import { field, listOf, string, struct } from '../../../schema/types.ts';

const home = 'core/v1';

export const nodeSelectorRequirement = struct(
  home,
  'NodeSelectorRequirement',
  'One condition on a node label or field.',
  () => ({
    key: field(1, string, { always: true, required: true, about: 'Label or field name to test.' }),
    operator: field(2, string, {
      goType: 'NodeSelectorOperator',
      always: true,
      required: true,
      enum: ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'],
      about: 'How to compare: In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    }),
    values: field(3, listOf(string), {
      listType: 'atomic',
      about:
        'Values to compare with: some for In and NotIn, none for Exists and DoesNotExist, one integer for Gt and Lt.',
    }),
  }),
);

export const nodeSelectorTerm = struct(
  home,
  'NodeSelectorTerm',
  'Conditions on a node that must all hold; an empty term matches nothing.',
  () => ({
    matchExpressions: field(1, listOf(nodeSelectorRequirement), {
      listType: 'atomic',
      about: 'Conditions on the labels of the node.',
    }),
    matchFields: field(2, listOf(nodeSelectorRequirement), {
      listType: 'atomic',
      about: 'Conditions on fields of the node; only metadata.name is supported.',
    }),
  }),
  { mapType: 'atomic' },
);

export const nodeSelector = struct(
  home,
  'NodeSelector',
  'A choice of nodes; a node matches if any of the terms does.',
  () => ({
    nodeSelectorTerms: field(1, listOf(nodeSelectorTerm), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Alternatives, joined by OR; at least one is needed.',
    }),
  }),
  { mapType: 'atomic' },
);

const topologySelectorLabelRequirement = struct(
  home,
  'TopologySelectorLabelRequirement',
  'One condition on a topology label.',
  () => ({
    key: field(1, string, {
      always: true,
      required: true,
      about: 'Label key to test, such as the zone.',
    }),
    values: field(2, listOf(string), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Allowed values of the label; one must match.',
    }),
  }),
);

export const topologySelectorTerm = struct(
  home,
  'TopologySelectorTerm',
  'Selects places by labels; an empty term matches everything.',
  () => ({
    matchLabelExpressions: field(1, listOf(topologySelectorLabelRequirement), {
      listType: 'atomic',
      about: 'Conditions on topology labels that must all hold.',
    }),
  }),
  { mapType: 'atomic' },
);
