// DeviceClass: a named, admin-made selection of devices that claims can ask for.

import { invalidValue } from '../../../meta/field-errors.ts';
import { checkWholeSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { field, type Infer, listOf, string, struct, within } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { isExtended } from '../../core/v1/pod/resource-names.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import type { ValidationErrors } from '../../rules.ts';
import { deviceConfigurationFields, deviceSelector } from './device-claim.ts';
import { validateOpaque, validateSelector } from './device-claim-rules.ts';
import { limited } from './device-names.ts';

const home = 'resource/v1';

const deviceClassConfiguration = struct(
  home,
  'DeviceClassConfiguration',
  'A configuration entry in a device class.',
  () => ({
    ...within(1, 'DeviceConfiguration', deviceConfigurationFields),
  }),
);

const deviceClassSpec = struct(home, 'DeviceClassSpec', 'Desired configuration of a DeviceClass.', () => ({
  selectors: field(1, listOf(deviceSelector), {
    listType: 'atomic',
    about: 'Tests that a device must all pass to belong to the class.',
  }),
  config: field(2, listOf(deviceClassConfiguration), {
    listType: 'atomic',
    about: 'Settings passed to the driver for every device claimed through this class.',
  }),
  extendedResourceName: field(4, string, {
    pointer: true,
    about: 'Resource name, such as "example.com/gpu", by which pods may request these devices directly.',
  }),
}));

const deviceClassType = struct(
  home,
  'DeviceClass',
  'A named, admin-made selection of devices that claims can ask for.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, deviceClassSpec, {
      always: true,
      required: true,
      about: 'Which devices belong to the class, and their settings.',
    }),
  }),
);

type DeviceClass = ApiObject & Infer<typeof deviceClassType>;

function validate(object: DeviceClass, { dialect }: StrategyContext): ValidationErrors {
  const { selectors = [], config = [], extendedResourceName: extended } = object.spec ?? {};
  return [
    ...limited('spec.selectors', selectors, validateSelector),
    ...limited('spec.config', config, validateOpaque),
    ...(extended === undefined || isExtended(extended, dialect)
      ? []
      : [invalidValue('spec.extendedResourceName', extended, 'must be a valid extended resource name')]),
  ];
}

const selectorsOf = (object: DeviceClass) => object.spec?.selectors ?? [];

const validateExpressions: Strategy<DeviceClass>['validateExpressions'] = async (next, old, { versions }, run) => {
  const { validateChangedSelectors } = await import('./selector-rules.ts');
  return validateChangedSelectors(selectorsOf(next), old && selectorsOf(old), 'spec.selectors', versions, run);
};

export const deviceClass = defineKind(deviceClassType, {
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkWholeSubdomain,
  generationIgnores: [],
  quirks: { returnsDeleted: true },
  columns: [nameColumn, ageColumn],
  strategy: { updateChecks: { newFirst: true }, validate, validateExpressions },
});
