// Defaults in schemas, certificates of conversion webhooks, and unknown formats.

import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { marks, type Schema } from '../../../schema/structural/schema.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { validateRootSchema } from './schema-rules.ts';

const { strategy: rules } = customResourceDefinition;

const context = { dialect: kubernetes, clock: new FakeClock() };

describe('a default', () => {
  const told = (field: Schema) =>
    lines(
      validateRootSchema({ type: 'object', properties: { f: field } }, { hasStatus: false, isStructural: true }, 's'),
    );
  const at = 's.properties[f].default';
  const inner = { type: 'object', properties: { a: { type: 'integer' } } };

  test.each<[string, Schema, readonly string[]]>([
    ['fits', { type: 'integer', default: 1 }, []],
    [
      'is of another type',
      { type: 'integer', default: 'x' },
      [`${at}: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'is no choice',
      { type: 'string', enum: ['a'], default: 'b' },
      [`${at}: Unsupported value: "b": supported values: "a"`],
    ],
    [
      'is out of range',
      { type: 'integer', maximum: 1, default: 2 },
      [`${at}: Invalid value: 2:  in body should be less than or equal to 1`],
    ],
    [
      'has unknown fields',
      { ...inner, default: { a: 1, b: 2 } },
      [`${at}: Invalid value: {"a":1,"b":2}: must not have unknown fields`],
    ],
    [
      'has a bad member',
      { ...inner, default: { a: 'x' } },
      [`${at}.a: Invalid value: "string": a in body must be of type integer: "string"`],
    ],
    ['lacks a member', { ...inner, required: ['a'], default: {} }, [`${at}.a: Required value`]],
    ['is null where it may be', { type: 'string', nullable: true, default: null }, []],
    [
      'is an object whose metadata cannot be read',
      {
        ...{ type: 'object', [marks.embedded]: true, [marks.preserve]: true },
        default: { apiVersion: 'v1', kind: 'K', metadata: { name: 1 } },
      },
      [
        `${at}.metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`,
      ],
    ],
    [
      'makes a name that none may have',
      {
        ...{ type: 'object', [marks.embedded]: true, [marks.preserve]: true },
        properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'a/b' } } } },
      },
      [
        `s.properties[f].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/'`,
      ],
    ],
    [
      'makes a kind that is none',
      {
        ...{ type: 'object', [marks.embedded]: true, [marks.preserve]: true },
        properties: { kind: { type: 'string', default: '' }, apiVersion: { type: 'string', default: 'v1' } },
      },
      [
        `s.properties[f].properties[kind].default: Invalid value: "": must result in valid metadata: kind: Invalid value: "": must not be empty`,
      ],
    ],
    [
      'is an object that does not say what it is',
      { type: 'object', [marks.embedded]: true, [marks.preserve]: true, default: { spec: 1 } },
      [`${at}.apiVersion: Required value`, `${at}.kind: Required value`],
    ],
    [
      'stands deep inside',
      { type: 'array', items: { type: 'object', properties: { g: { type: 'boolean', default: 1 } } } },
      [
        's.properties[f].items.properties[g].default: Invalid value: "integer":  in body must be of type boolean: "integer"',
      ],
    ],
  ])('%s', (_, schema, expected) => {
    expect(told(schema)).toEqual(expected);
  });

  test.each<[string, Schema]>([
    ['has something twice', { type: 'array', items: { type: 'integer' }, [marks.listType]: 'set', default: [1, 1] }],
    ['is neither an integer nor a string', { [marks.intOrString]: true, default: true }],
    [
      'holds what is neither an integer nor a string',
      { type: 'object', properties: { a: { [marks.intOrString]: true } }, default: { a: 1.5 } },
    ],
  ])('%s, which is not looked at', (_, schema) => {
    expect(told(schema)).toEqual([]);
  });

  test('is not looked at while the schema makes no sense', () => {
    expect(told({ type: 'integer', default: 'x', pattern: '(' })).toHaveLength(1);
  });
});

describe('certificates', () => {
  const certificate = Buffer.from(
    `-----BEGIN CERTIFICATE-----
MIIBdjCCARygAwIBAgIUVv0E3mEKUFgUUhQL2oAx2g9qhEwwCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----`,
  ).toString('base64');
  const definition = (caBundle: string | undefined, established: boolean) =>
    ({
      metadata: { name: 'n' },
      spec: {
        versions: [{ name: 'v1', storage: true }],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://a', ...(caBundle ? { caBundle } : {}) } },
        },
      },
      status: { storedVersions: ['v1'], conditions: established ? [{ type: 'Established', status: 'True' }] : [] },
    }) as unknown as ApiObject;
  const text = Buffer.from('no certificate').toString('base64');
  const told = (next: ApiObject, old: ApiObject) => lines(rules?.validateUpdate?.(next, old, context) ?? []);
  const refused = `spec.conversion.webhookClientConfig.caBundle: Invalid value: "${text}": data does not contain any valid RSA or ECDSA certificates`;

  test('that are none may be given until the resource is served', () => {
    expect(told(definition(text, false), definition(undefined, false))).toEqual([]);
    expect(told(definition(text, true), definition(undefined, true))).toEqual([refused]);
  });

  test('that never were any may stay, and broken ones are told so', () => {
    expect(told(definition(text, true), definition(certificate, true))).toEqual([]);
    expect(told(definition(certificate, true), definition(undefined, true))).toEqual([
      expect.stringContaining('unable to parse certificate'),
    ]);
  });
});

test('unknown formats are told when they are new', () => {
  const definition = (format: string) =>
    ({
      metadata: { name: 'n' },
      spec: {
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: {
                properties: { f: { type: 'string', format }, n: { type: 'integer', format: 'int32' } },
              },
            },
          },
        ],
      },
    }) as unknown as ApiObject;
  const said = (next: ApiObject, old?: ApiObject) => [...(rules?.warnings?.(next, old, context) ?? [])];
  expect(said(definition('odd'))).toEqual(['unrecognized format "odd"']);
  expect(said(definition('date-time'))).toEqual([]);
  expect(said(definition('odd'), definition('odd'))).toEqual([]);
  expect(said(definition('odd'), definition('uri'))).toEqual(['unrecognized format "odd"']);
});
