// VolumeAttributesClass: a named set of volume settings that can be changed while the volume exists.

import { isSameJson } from '../../../base/json/json.ts';
import { forbiddenField } from '../../../meta/field-errors.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { requiredChecked, type ValidationErrors } from '../../rules.ts';
import { markedNameColumn } from './default-class.ts';
import { validateParameters } from './parameters.ts';

const home = 'storage/v1';

const volumeAttributesClassType = struct(
  home,
  'VolumeAttributesClass',
  'A named set of volume settings that can be changed while the volume exists.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    driverName: field(2, string, {
      always: true,
      required: true,
      about: 'Name of the CSI driver that understands the settings; immutable.',
    }),
    parameters: field(3, mapOf(string), { about: 'Driver-specific settings, at most 512 entries; immutable.' }),
  }),
);

type VolumeAttributesClass = ApiObject & Infer<typeof volumeAttributesClassType>;

const validateSettings = ({ driverName = '', parameters = {} }: VolumeAttributesClass): ValidationErrors => [
  ...requiredChecked('driverName', driverName.toLowerCase(), checkQualifiedName),
  ...validateParameters(parameters, { needed: true }),
];

export const volumeAttributesClass = defineKind(volumeAttributesClassType, {
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  namespaced: false,
  shortNames: ['vac'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: { heldInUse: 'vac-protection' },
  quirks: { returnsDeleted: true },
  columns: [
    markedNameColumn('volumeattributesclass.alpha.'),
    textColumn<VolumeAttributesClass>('DriverName', 'The driver that understands it.', (o) => o.driverName ?? ''),
    ageColumn,
  ],
  strategy: {
    validateCreate: validateSettings,
    validateUpdate: (next, old) => [
      ...['driverName', 'parameters']
        .filter((field) => !isSameJson(next[field], old[field]))
        .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
      ...validateSettings(next),
    ],
  },
});
