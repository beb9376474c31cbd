import { describe, expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { decoderOf } from '../../../schema/decode.ts';
import { DecodeContext } from '../../../schema/decode-context.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { maxDataBytes } from './data.ts';
import { secret } from './secret.ts';

const inDialect = (dialect: Dialect) => ({ dialect, clock: new FakeClock('2030-01-01T01:00:00Z') });
const context = inDialect(kubernetes);

const make = (fields: object = {}): ApiObject => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
  type: 'Opaque',
  ...fields,
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

function validationErrors(fields: object, dialect: Dialect = kubernetes): string[] {
  const found = secret.strategy?.validate?.(make(fields), inDialect(dialect)) ?? [];
  return found.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);
}

const changeErrors = (next: object, old: object) =>
  (secret.strategy?.validateUpdate?.(make(next), make(old), context) ?? []).map((e) => `${e.field}: ${e.message}`);

const annotated = (key: string, value: string) => ({ metadata: { name: 'a', annotations: { [key]: value } } });

describe('types', () => {
  test.each<[string, object, string[]]>([
    ['Opaque', {}, []],
    ['Opaque', { data: { anything: 'AA==' } }, []],
    ['example.com/own', {}, []],
    ['kubernetes.io/something-else', {}, []],
    ['kubernetes.io/service-account-token', {}, ['Required metadata.annotations[kubernetes.io/service-account.name]']],
    ['kubernetes.io/service-account-token', annotated('kubernetes.io/service-account.name', 'x'), []],
    [
      'kubernetes.io/service-account-token',
      annotated('kubernetes.io/service-account.name', ''),
      ['Required metadata.annotations[kubernetes.io/service-account.name]'],
    ],
    ['kubernetes.io/dockercfg', {}, ['Required data[.dockercfg]']],
    ['kubernetes.io/dockercfg', { data: { '.dockercfg': base64('{}') } }, []],
    ['kubernetes.io/dockercfg', { data: { '.dockercfg': base64('{') } }, ['Invalid data[.dockercfg]']],
    ['kubernetes.io/dockerconfigjson', {}, ['Required data[.dockerconfigjson]']],
    ['kubernetes.io/dockerconfigjson', { data: { '.dockerconfigjson': base64('{"auths":{}}') } }, []],
    ['kubernetes.io/dockerconfigjson', { data: { '.dockerconfigjson': '' } }, ['Invalid data[.dockerconfigjson]']],
    ['kubernetes.io/basic-auth', {}, ['Required data[username]', 'Required data[password]']],
    ['kubernetes.io/basic-auth', { data: { username: '' } }, []],
    ['kubernetes.io/basic-auth', { data: { password: 'AA==' } }, []],
    ['kubernetes.io/ssh-auth', {}, ['Required data[ssh-privatekey]']],
    ['kubernetes.io/ssh-auth', { data: { 'ssh-privatekey': 'AA==' } }, []],
    ['kubernetes.io/tls', {}, ['Required data[tls.crt]', 'Required data[tls.key]']],
    ['kubernetes.io/tls', { data: { 'tls.crt': '' } }, ['Required data[tls.key]']],
    ['kubernetes.io/tls', { data: { 'tls.crt': '', 'tls.key': '' } }, []],
  ])('%s with %j: %j', (type, fields, expected) => {
    expect(validationErrors({ type, ...fields })).toEqual(expected);
  });

  test('what is wrong with a secret does not show it', () => {
    const found = secret.strategy?.validate?.(
      make({ type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('hush') } }),
      context,
    );
    expect(JSON.stringify(found)).toContain('<secret contents redacted>');
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  test('carry the domain of the dialect', () => {
    expect(validationErrors({ type: 'cluster.local/tls' }, cluster())).toHaveLength(2);
    expect(validationErrors({ type: 'kubernetes.io/tls' }, cluster())).toEqual([]);
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('kubernetes.io/%s has no rules', (name) => {
    expect(validationErrors({ type: `kubernetes.io/${name}` })).toEqual([]);
  });

  test('Opaque is what a secret is unless it says otherwise', () => {
    const decode = (value: object) => decoderOf(secret.type)(value, new DecodeContext());
    expect(decode({})).toMatchObject({ type: 'Opaque' });
    expect(decode({ type: '' })).toMatchObject({ type: 'Opaque' });
    expect(decode({ type: 'x' })).toMatchObject({ type: 'x' });
  });

  // json.Unmarshal into a map: other JSON does not do
  test.each(['[]', '1', '"x"', 'true'])('a docker configuration may not be %s', (text) => {
    expect(validationErrors({ type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64(text) } })).toHaveLength(1);
  });

  // len(secret.Data[…]) == 0
  test('an SSH key may not be empty', () => {
    expect(validationErrors({ type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } })).toHaveLength(1);
  });
});

describe('data', () => {
  test.each(['', '.', '..', '..a', 'a/b', 'é'])('may not have the key %j', (key) => {
    expect(validationErrors({ data: { [key]: '' } })[0]).toBe(`Invalid data[${key}]`);
  });

  test('may be a mebibyte, counted decoded', () => {
    const full = Buffer.alloc(maxDataBytes).toString('base64');
    expect(validationErrors({ data: { a: full } })).toEqual([]);
    expect(validationErrors({ data: { a: full, b: 'AA==' } })).toEqual(['TooLong data']);
  });
});

describe('stringData', () => {
  const prepare = (fields: object) => secret.strategy?.prepareForCreate?.(make(fields), context) ?? make();

  test('is encoded into data, over what is there, and not kept', () => {
    const prepared = prepare({ data: { b: 'AA==', a: 'AA==' }, stringData: { b: 'é', c: '' } });
    expect(prepared).not.toHaveProperty('stringData');
    expect(Object.entries(prepared['data'] as object)).toEqual([
      ['a', 'AA=='],
      ['b', base64('é')],
      ['c', ''],
    ]);
  });

  test('works on update as well', () => {
    const next = make({ stringData: { a: 'x' } });
    expect(secret.strategy?.prepareForUpdate?.(next, make(), context)).toMatchObject({ data: { a: base64('x') } });
  });

  test('with a key __proto__ is data', () => {
    const prepared = prepare({ stringData: JSON.parse('{"__proto__":"x"}') as object });
    expect(JSON.stringify(prepared['data'])).toBe(`{"__proto__":"${base64('x')}"}`);
  });

  test('that is not there leaves the object as it is', () => {
    const object = make({ data: { a: '' } });
    expect(secret.strategy?.prepareForCreate?.(object, context)).toBe(object);
  });
});

describe('changes', () => {
  const detail = 'Forbidden: field is immutable when `immutable` is set';
  const sealed = { immutable: true, data: { a: 'AA==' } };

  test.each<[string, object, object, string[]]>([
    ['the same', sealed, sealed, []],
    ['data of an ordinary secret', { data: { a: '' } }, { data: { a: 'AA==' } }, []],
    ['another type', { type: 'x' }, {}, ['type: Invalid value: "x": field is immutable']],
    ['data of a sealed one', { ...sealed, data: {} }, sealed, [`data: ${detail}`]],
    ['the seal', { data: { a: 'AA==' } }, sealed, [`immutable: ${detail}`]],
    ['both', {}, sealed, [`immutable: ${detail}`, `data: ${detail}`]],
  ])('%s', (_, next, old, expected) => {
    expect(changeErrors(next, old)).toEqual(expected);
  });
});

test('a row shows name, type, number of keys and age', () => {
  const columns = secret.columns ?? [];
  expect(columns.map(({ name }) => name)).toEqual(['Name', 'Type', 'Data', 'Age']);
  expect(columns.map(({ cell }) => cell(make({ data: { a: '', b: '' } }), context))).toEqual(['a', 'Opaque', 2, '60m']);
});

test('secrets can be selected by type', () => {
  expect(secret.selectableFields?.['type']?.(make({ type: 'x' }))).toBe('x');
});
