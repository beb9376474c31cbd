// Node: a machine of the cluster on which pods run.

import { inOwnWords } from '../../../../meta/dialect.ts';
import { checkSubdomain } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import type { Warnings } from '../../../../meta/warn-each.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import type { Strategy, StrategyContext } from '../../../../schema/strategy.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { rangeListWarnings } from '../../../address-warnings.ts';
import { statusOnly } from '../../../subresources.ts';
import { roundedIn } from '../pod/rounded-amounts.ts';
import { validateAvoidedPods } from './node-avoided-pods.ts';
import { nodeColumns } from './node-columns.ts';
import { nodeProxy } from './node-connect.ts';
import { validateNode, validateNodeUpdate, validateOffers } from './node-rules.ts';
import { type Node, nodeType } from './node-type.ts';

/** One range and the first of the list are the same; where they differ, the one range is meant. */
function defaults(object: Node): ApiObject {
  const { spec = {}, status } = object;
  const first = spec.podCIDRs?.[0];
  const podCIDR = spec.podCIDR || first;
  const podCIDRs = podCIDR === first ? spec.podCIDRs : [podCIDR];
  const ranges = podCIDR === undefined ? {} : { podCIDR, podCIDRs };
  const allocatable = status?.allocatable ?? status?.capacity;
  return {
    ...object,
    spec: { ...spec, ...ranges },
    ...(status && allocatable ? { status: roundedIn({ ...status, allocatable }, ['capacity', 'allocatable']) } : {}),
  };
}

const text =
  (read: (node: Node) => string | undefined) =>
  (object: Node): string =>
    read(object) ?? '';

function nodeWarnings({ spec = {} }: Node, { dialect }: StrategyContext): Warnings {
  const { configSource, externalID, podCIDRs } = spec;
  const unused = inOwnWords(dialect, 'spec.externalID: this field is deprecated, and is unused by Kubernetes');
  return [
    ...(configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(externalID ? [unused] : []),
    ...rangeListWarnings(podCIDRs, 'spec.podCIDRs'),
  ];
}

/** What a node offers and keeps pods away with is looked at on every change, whatever part it is of. */
const validateChange: Strategy<Node>['validateUpdate'] = (next, old, { dialect }) => [
  ...validateAvoidedPods(next, dialect),
  ...validateNodeUpdate(next, old),
  ...validateOffers(next, dialect),
];

export const node = defineKind(nodeType, {
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  verbs: allVerbs,
  storagePrefix: 'minions',
  checkName: checkSubdomain,
  quirks: { statusComesWithCreate: true },
  selectableFields: { 'spec.unschedulable': text(({ spec }) => String(spec?.unschedulable ?? false)) },
  columns: nodeColumns,
  subresources: [nodeProxy, { ...statusOnly, validateUpdate: validateChange }],
  strategy: {
    updateChecks: { newFirst: true },
    defaults,
    validate: (object, { dialect }) => validateNode(object, dialect),
    validateUpdate: validateChange,
    warnings: (next, _, context) => nodeWarnings(next, context),
  },
});
