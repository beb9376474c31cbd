// ResourceSlice: a list of devices published by a driver, forming all or part of a pool.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { resourceSliceRules } from './resource-slice-rules.ts';
import { resourceSliceType } from './resource-slice-type.ts';

export const resourceSlice = defineKind(resourceSliceType, {
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { returnsDeleted: true, refusesFields: 'ofVersion', generationCountsOff: true },
  selectableFields: {
    'spec.nodeName': (object) => object.spec?.nodeName ?? '',
    'spec.driver': (object) => object.spec?.driver ?? '',
  },
  columns: [
    nameColumn,
    textColumn('Node', 'Node that the devices belong to.', (o) => o.spec?.nodeName ?? ''),
    textColumn('Driver', 'Who offers the devices.', (o) => o.spec?.driver ?? ''),
    textColumn('Pool', 'Pool that the slice is a part of.', (o) => o.spec?.pool?.name ?? ''),
    ageColumn,
  ],
  strategy: resourceSliceRules,
});
