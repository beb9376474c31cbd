// ClusterRole: a set of permissions that can be granted cluster-wide or inside a namespace.

import { checkRoleName } from '../../../meta/names.ts';
import { nameAndCreation } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, listOf, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { validateAggregation, validateRules } from './role-rules.ts';
import { policyRule } from './subjects-and-rules.ts';

const home = 'rbac/v1';

const aggregationRule = struct(
  home,
  'AggregationRule',
  "Tells how to build a ClusterRole's rules out of other ClusterRoles.",
  () => ({
    clusterRoleSelectors: field(1, listOf(labelSelector), {
      listType: 'atomic',
      about: 'Label selectors; rules of every ClusterRole matching any of them are merged in.',
    }),
  }),
);

const clusterRoleType = struct(
  home,
  'ClusterRole',
  'A set of permissions that can be granted cluster-wide or inside a namespace.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    rules: field(2, listOf(policyRule), {
      always: true,
      listType: 'atomic',
      about: 'The permissions; overwritten by the controller when aggregationRule is set.',
    }),
    aggregationRule: field(3, aggregationRule, {
      pointer: true,
      about: 'Fills rules automatically from other ClusterRoles; do not edit rules by hand then.',
    }),
  }),
);

export const clusterRole = defineKind(clusterRoleType, {
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkRoleName,
  quirks: { createOnUpdate: true },
  columns: nameAndCreation,
  rows: { noneIsNull: true },
  strategy: {
    updateChecks: { newFirst: true },
    validate(object) {
      const { rules, aggregationRule: aggregation } = object;
      return [...validateRules(rules, 'cluster'), ...validateAggregation(aggregation)];
    },
  },
  grants(object) {
    const { rules, aggregationRule: aggregation } = object;
    return { is: 'rules', rules: rules ?? [], aggregates: aggregation != null };
  },
});
