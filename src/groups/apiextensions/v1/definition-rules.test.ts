import { describe, expect, test, vi } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const rules = rulesOf(customResourceDefinition);
const metadata = { name: 'apples.a.example' };
const names = { plural: 'apples', kind: 'Apple' };
const openAPIV3Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { color: { type: 'string' }, sizes: { type: 'array', items: { type: 'integer' } } },
    },
  },
};
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
const spec = { group: 'a.example', scope: 'Namespaced', names, versions: [version] };
const withVersion = (change: object) => ({ versions: [{ ...version, ...change }] });
const other = { ...version, name: 'v2', storage: false };

test('defaults and what is stored', () => {
  const object = rules.defaulted({ metadata, spec });
  expect(object).toMatchObject({
    spec: { names: { singular: 'apple', listKind: 'AppleList' }, conversion: { strategy: 'None' } },
  });
  const made = customResourceDefinition.strategy?.prepareForCreate?.(object, context);
  expect(made?.['status']).toMatchObject({ storedVersions: ['v1'] });
});

test.each<[string, object, string[]]>([
  ['in order', {}, []],
  [
    'of no group',
    { group: '' },
    [
      'metadata.name: Invalid value: "apples.a.example": must be spec.names.plural+"."+spec.group',
      'spec.group: Required value',
    ],
  ],
  [
    'with nameless short names and categories',
    { names: { ...names, shortNames: [''], categories: [''] } },
    [
      expect.stringContaining('spec.names.shortNames[0]: Invalid value: ""') as string,
      expect.stringContaining('spec.names.categories[0]: Invalid value: ""') as string,
    ],
  ],
  [
    'of an odd scope',
    { scope: 'Odd' },
    ['spec.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespaced"'],
  ],
  [
    'whose list is one of it',
    { names: { ...names, listKind: 'Apple' } },
    ['spec.names.listKind: Invalid value: "Apple": kind and listKind may not be the same'],
  ],
  ['without a schema', withVersion({ schema: undefined }), ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    'with a warning for nothing',
    withVersion({ deprecationWarning: 'w' }),
    ['spec.versions[0].deprecationWarning: Invalid value: "w": can only be set for deprecated versions'],
  ],
  [
    'with a warning of two lines',
    withVersion({ deprecated: true, deprecationWarning: 'a\nb' }),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1',
    ],
  ],
  [
    'with odd columns',
    withVersion({ additionalPrinterColumns: [{ name: '', type: 'odd', format: 'odd', jsonPath: 'x' }] }),
    [
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Invalid value: "odd": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "odd": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
    ],
  ],
  [
    'that scales nothing',
    withVersion({ subresources: { scale: { specReplicasPath: '.status.x', labelSelectorPath: '.x' } } }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Required value',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec or .status',
    ],
  ],
  [
    'with fields to select by that differ, where the schema is the same in all versions',
    {
      versions: [
        { ...version, selectableFields: [{ jsonPath: '.spec.color' }] },
        { ...version, name: 'v9', storage: false },
      ],
    },
    [
      'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ],
  ],
  [
    'with the same fields to select by, where the schemas differ',
    {
      versions: ['v8', 'v9'].map((name) => ({
        ...{ ...version, name, storage: name === 'v8', selectableFields: [{ jsonPath: '.spec.color' }] },
        schema: { openAPIV3Schema: { ...version.schema.openAPIV3Schema, description: name } },
      })),
    },
    ['spec.selectableFields: Invalid value: "": may only be set when validations.schema is included'],
  ],
  [
    'with fields to select by and no schema',
    {
      versions: [
        { ...version, schema: undefined, selectableFields: [{ jsonPath: '.spec.color' }] },
        { ...version, name: 'v9', storage: false },
      ],
    },
    [
      'spec.versions[0].schema.openAPIV3Schema: Required value',
      'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ],
  ],
  ['with fields to select by', withVersion({ selectableFields: [{ jsonPath: '.spec.color' }] }), []],
  [
    'with odd fields to select by',
    withVersion({
      selectableFields: ['.spec.sizes', '.spec.none', 'x', '.spec.color', '.spec.color'].map((jsonPath) => ({
        jsonPath,
      })),
    }),
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.sizes": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[1].jsonPath: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[2].jsonPath: Invalid value: "x": is an invalid path: expected [ or . but got: x',
      'spec.selectableFields[4].jsonPath: Duplicate value: ".spec.color"',
    ],
  ],
  [
    'converted by no strategy',
    { conversion: { strategy: 'Webhook' } },
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'converted by a webhook',
    {
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { namespace: 'n', name: 's' } }, conversionReviewVersions: ['v1'] },
      },
    },
    [],
  ],
  [
    'with a webhook for nothing',
    { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
    ['spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook'],
  ],
  [
    'that keeps everything',
    { preserveUnknownFields: true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
])('a definition %s', (_, change, expected) => {
  expect(rules.complaints({ metadata, spec: { ...spec, ...change } })).toEqual(expected);
});

describe('versions', () => {
  test('one is stored, each has a name', () => {
    const found = rules.complaints({ metadata, spec: { ...spec, versions: [version, version] } });
    expect(found).toEqual([
      expect.stringMatching(/^spec.versions: Invalid value: .*: must contain unique version names$/),
      expect.stringMatching(/^spec.versions: .*: must have exactly one version marked as storage version$/),
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
    ]);
  });

  test('of several that are to be stored, the first is', () => {
    const found = rules.create({ metadata, spec: { ...spec, versions: [version, { ...other, storage: true }] } });
    expect(found).toEqual(['Invalid spec.versions', 'Invalid status.storedVersions']);
  });

  test('what is stored is for who migrates to say', () => {
    expect(customResourceDefinition.strategy?.validate?.(rules.defaulted({ metadata, spec }), context)).toEqual([]);
  });

  test('what they do not share is reported at each', () => {
    const odd = { ...other, schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } };
    expect(rules.create({ metadata, spec: { ...spec, versions: [version, odd] } })).toEqual([
      'Required spec.versions[1].schema.openAPIV3Schema.properties[spec].type',
    ]);
  });

  test('one that was stored stays', () => {
    const before = { metadata, spec: { ...spec, versions: [version, other] }, status: { storedVersions: ['v1'] } };
    const after = { ...before, spec: { ...spec, versions: [{ ...other, storage: true }] } };
    expect(rules.complaints(after, before)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });
});

test('groups of the product are for what its makers agreed to', () => {
  const reserved = (annotations: object) => ({
    metadata: { name: 'apples.x.k8s.io', annotations },
    spec: { ...spec, group: 'x.k8s.io' },
  });
  const key = 'api-approved.kubernetes.io';
  expect(rules.create(reserved({}))).toEqual([`Required metadata.annotations[${key}]`]);
  expect(rules.create(reserved({ [key]: 'yes' }))).toEqual([`Invalid metadata.annotations[${key}]`]);
  expect(rules.create(reserved({ [key]: 'https://example.com/1' }))).toEqual([]);
  expect(rules.create(reserved({ [key]: 'unapproved, experimental' }))).toEqual([]);
  expect(rules.update(reserved({}), reserved({}))).toEqual([]);
});

test('what is served keeps its kind and scope', () => {
  const conditions = [{ type: 'Established', status: 'True', lastTransitionTime: null }];
  const old = { metadata, spec, status: { storedVersions: ['v1'], conditions } };
  const next = { ...old, spec: { ...spec, scope: 'Cluster', names: { ...names, kind: 'Pear' } } };
  expect(rules.update(next, old)).toEqual(['Invalid spec.scope', 'Invalid spec.names.kind']);
  expect(rules.update(next, { ...old, status: { storedVersions: ['v1'] } })).toEqual([]);
  expect(rules.update({ ...old, spec: { ...spec, names: { ...names, plural: 'pears' } } }, old)).toEqual([
    'Invalid spec.names.plural',
  ]);
});

test('accepted names are names', () => {
  const [status] = customResourceDefinition.subresources ?? [];
  const object = { ...rules.defaulted({ metadata, spec }), status: { acceptedNames: { plural: 'A', kind: 'A' } } };
  const found = status?.is === 'part' ? status.validateUpdate?.(object as ApiObject, object as ApiObject, context) : [];
  expect(lines(found)).toEqual([expect.stringContaining('status.acceptedNames.plural: Invalid value: "A"')]);
});

test.each([
  ['few', 10, 0],
  ['thousands of', 5000, 1],
])('a schema with %s properties is long work or not', (_, count, calls) => {
  const properties = Object.fromEntries(Array.from({ length: count }, (__, i) => [`p${i}`, { type: 'string' }]));
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const object = rules.defaulted({ metadata, spec: { ...spec, ...withVersion({ schema }) } });
  const onLongWork = vi.fn<() => void>();
  expect(customResourceDefinition.strategy?.validate?.(object, { ...context, onLongWork })).toEqual([]);
  expect(onLongWork).toHaveBeenCalledTimes(calls);
});
