// LimitRange: limits and defaults for resources of single objects in a namespace.

import { checkSubdomain } from '../../../../meta/names.ts';
import { defaultColumns } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { defaultLimits, validateLimits } from './limit-range-rules.ts';
import { limitRangeType } from './limit-range-type.ts';

export const limitRange = defineKind(limitRangeType, {
  kind: 'LimitRange',
  plural: 'limitranges',
  namespaced: true,
  shortNames: ['limits'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { createOnUpdate: true, namesItself: true },
  columns: defaultColumns['Created At'],
  rows: { noneIsNull: true },
  strategy: {
    updateChecks: { metaChange: 0 },
    defaults(object) {
      const { spec } = object;
      return spec?.limits ? { ...object, spec: { ...spec, limits: spec.limits.map(defaultLimits) } } : object;
    },
    validate: (object, { dialect }) => validateLimits(object.spec?.limits ?? [], dialect),
  },
});
