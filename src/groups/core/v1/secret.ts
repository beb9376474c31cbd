// Secret: small amounts of sensitive data, with rules for the well-known types.

import { getOwn, inOrderOfKeys, isJsonObject } from '../../../base/json/json.ts';
import { JsonSyntaxError, scanJson } from '../../../base/json/json-scan.ts';
import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { forbiddenField, invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkConfigKey, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { bool, bytes, field, type Infer, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { jsonForm } from '../../../wording/type-mismatch.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { immutableErrors, maxDataBytes, sizeOf } from './data.ts';
import { keyPairProblem } from './key-pair-problem.ts';

const opaque = 'Opaque';

const type = struct('core/v1', 'Secret', 'Holds sensitive data such as passwords, tokens and keys.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  immutable: field(5, bool, { pointer: true, about: 'When true, the data can no longer be changed, nor this field.' }),
  data: field(2, mapOf(bytes), {
    about: 'The secret values, in base64. Keys consist of letters, digits, -, _ and .',
  }),
  stringData: field(4, mapOf(string), {
    about: 'Write-only convenience: plain text that is encoded and merged into data, over existing keys.',
  }),
  type: field(3, string, {
    goType: 'SecretType',
    default: opaque,
    about: 'What the data is for; some types require certain keys.',
  }),
}));

type Secret = ApiObject & Infer<typeof type>;

/** stringData is merged into data and never stored. */
function prepare(object: Secret): ApiObject {
  const { stringData, ...rest } = object;
  if (stringData === undefined) return object;
  const data = new Map<string, string>();
  for (const key of Object.keys(rest.data ?? {})) data.set(key, rest.data?.[key] as string);
  for (const key of Object.keys(stringData)) data.set(key, Buffer.from(stringData[key] as string).toString('base64'));
  return { ...rest, data: inOrderOfKeys(data) };
}

type TypeRule = (secret: Secret, data: Readonly<Record<string, string>>, dialect: Dialect) => readonly FieldError[];

const requireKeys =
  (...keys: string[]): TypeRule =>
  (_, data) =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`));

const requireJson =
  (key: string): TypeRule =>
  (secret, data, dialect) => {
    const missing = requireKeys(key)(secret, data, dialect);
    if (missing.length > 0) return missing;
    const problem = jsonProblem(data[key] ?? '');
    return problem === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', problem)];
  };

/** Rules of the well-known types, by the part after the label domain. */
const typeRules: Readonly<Record<string, TypeRule>> = {
  'service-account-token': (secret, _, dialect) => {
    const key = labelKey(dialect, 'service-account.name');
    return secret.metadata.annotations?.[key] ? [] : [required(`metadata.annotations[${key}]`)];
  },
  dockercfg: requireJson('.dockercfg'),
  dockerconfigjson: requireJson('.dockerconfigjson'),
  'basic-auth': (secret, data) =>
    Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')
      ? []
      : requireKeys('username', 'password')(secret, data, undefined as never),
  'ssh-auth': (_, data) => (data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')]),
  tls: requireKeys('tls.crt', 'tls.key'),
};

function validate(secret: Secret, dialect: Dialect): readonly FieldError[] {
  const data = secret.data ?? {};
  const errors = [
    ...findEach(Object.keys(data), (key) => checkConfigKey(key).map((e) => invalidValue(`data[${key}]`, key, e))),
  ];
  if (sizeOf(data, 'base64') > maxDataBytes) errors.push(tooLong('data', maxDataBytes));
  const prefix = `${dialect.labelDomain}/`;
  const rule = secret.type?.startsWith(prefix) ? getOwn(typeRules, secret.type.slice(prefix.length)) : undefined;
  return rule === undefined ? errors : [...errors, ...rule(secret, data, dialect)];
}

/** Why a text is no JSON object; undefined for nothing. */
function jsonProblem(base64: string): string | undefined {
  try {
    const value = scanJson(Buffer.from(base64, 'base64').toString('utf8'));
    if (value === null || isJsonObject(value)) return undefined;
    return `json: cannot unmarshal ${jsonForm(value)} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return error.message;
  }
}

const strategy: Strategy<Secret> = {
  // before the owners of fields are determined: stringData has no owners
  defaults: prepare,
  prepareForCreate: prepare,
  prepareForUpdate: prepare,
  updateChecks: { changesFirst: true },
  validate: (object, { dialect }) => validate(object, dialect),
  validateUpdate: (next, old) => [
    ...(next['type'] === old['type'] ? [] : [invalidValue('type', next['type'], 'field is immutable')]),
    ...immutableErrors(next, old, ['data'], forbiddenField),
  ],
  warnings: (secret, _, { dialect }) => keyPairWarnings(secret, dialect),
};

/** A TLS secret is stored with whatever it has below its two keys; the client is warned of a pair that cannot be used. */
function keyPairWarnings({ type, data = {} }: Secret, { labelDomain }: Dialect): readonly string[] {
  if (type !== `${labelDomain}/tls`) return [];
  const [certificate, key] = [data['tls.crt'] ?? '', data['tls.key'] ?? ''].map((one) =>
    Buffer.from(one, 'base64').toString('latin1'),
  );
  const problem = keyPairProblem(certificate ?? '', key ?? '');
  return problem === undefined ? [] : [problem];
}

export const secret = defineKind(type, {
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  confidential: true,
  selectableFields: { type: (object) => object.type ?? '' },
  columns: [
    nameColumn,
    {
      name: 'Type',
      type: 'string',
      about: 'What the data is for.',
      priority: 0,
      cell: (object) => object['type'] ?? '',
    },
    {
      name: 'Data',
      type: 'string',
      about: 'Number of keys.',
      priority: 0,
      cell: (object) => Object.keys(object.data ?? {}).length,
    },
    ageColumn,
  ],
  strategy,
});
