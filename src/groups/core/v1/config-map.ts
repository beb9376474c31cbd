// ConfigMap: plain configuration for programs to read.

import { forbiddenField, invalidValue, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkConfigKey, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { bool, bytes, field, type Infer, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { wholeObject } from '../../rules.ts';
import { immutableErrors, maxDataBytes, sizeOf } from './data.ts';

const type = struct('core/v1', 'ConfigMap', 'Holds configuration data for programs to consume.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  immutable: field(4, bool, { pointer: true, about: 'When true, the data can no longer be changed, nor this field.' }),
  data: field(2, mapOf(string), {
    about: 'Configuration as UTF-8 text. Keys consist of letters, digits, -, _ and . and do not repeat in binaryData.',
  }),
  binaryData: field(3, mapOf(bytes), {
    about: 'Configuration as bytes, in base64. Keys follow the rules of data.',
  }),
}));

type ConfigMap = ApiObject & Infer<typeof type>;

function validate(object: ConfigMap): readonly FieldError[] {
  const { data = {}, binaryData = {} } = object;
  const isTooLong = sizeOf(data) + sizeOf(binaryData, 'base64') > maxDataBytes;
  return [
    ...findEach(Object.keys(data), (key) => [
      ...checkConfigKey(key).map((e) => invalidValue(`data[${key}]`, key, e)),
      ...(Object.hasOwn(binaryData, key)
        ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...findEach(Object.keys(binaryData), (key) =>
      checkConfigKey(key).map((e) => invalidValue(`binaryData[${key}]`, key, e)),
    ),
    ...(isTooLong ? [tooLong(wholeObject, maxDataBytes)] : []),
  ];
}

const strategy: Strategy<ConfigMap> = {
  updateChecks: { changesFirst: true },
  validate,
  validateUpdate: (next, old) => immutableErrors(next, old, ['data', 'binaryData'], forbiddenField),
};

export const configMap = defineKind(type, {
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  shortNames: ['cm'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  columns: [
    nameColumn,
    {
      name: 'Data',
      type: 'string',
      about: 'Number of keys.',
      priority: 0,
      cell: (object) => {
        const { data = {}, binaryData = {} } = object;
        return Object.keys(data).length + Object.keys(binaryData).length;
      },
    },
    ageColumn,
  ],
  strategy,
});
