// Hostile definitions that are served, and hostile objects of them: each costs its author an answer, and no other client a wait.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { definitionOf, definitions, specOf } from './definition-shapes.ts';
import { eventually } from './eventually.ts';
import { type HostileServer, type Measured, maxWaitMs, startHostileServer } from './hostile-bodies.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

const group = 'hostile.example.com';
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const record = (count: number, make: (index: number) => unknown, name = 'p') =>
  Object.fromEntries(times(count, (i) => [`${name}${i}`, make(i)]));

/** A value, `depth` members inside. */
const deep = (depth: number, innermost: unknown): unknown => {
  let value = innermost;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
};
const deepSchema = (depth: number, innermost: object): object => {
  let schema = innermost;
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } };
  return schema;
};
const listOf = (items: object, more: object = {}) => ({
  type: 'object',
  properties: { list: { type: 'array', items, ...more } },
});
/** Every pair of items, and a kilobyte of other conditions. */
const longRule = (at: number) => ({
  rule: `self.all(a, self.all(b, a + b >= 0)) && ${times(60, (i) => `self[0] != ${1000 * at + i + 1000}`).join(' && ')}`,
});
/** An object in which every member has a default, and so has all that is in them. */
const withDefaults = (depth: number): object => ({
  type: 'object',
  default: {},
  properties: {
    ...record(4, (i) => ({ type: 'string', default: `a value that is filled in, number ${i}` })),
    ...(depth > 0 ? { a: withDefaults(depth - 1) } : {}),
  },
});

interface HostileKind {
  readonly title: string;
  readonly spec: () => object;
  /** Objects of it, by what is hostile about them: what their spec is, as JSON. */
  readonly objects: Readonly<Record<string, () => unknown>>;
}

const kinds: readonly HostileKind[] = [
  {
    title: '10,000 properties',
    spec: () => ({ type: 'object', properties: record(10_000, () => ({ type: 'string', maxLength: 10 })) }),
    objects: {
      'all of them': () => record(10_000, () => 'value'),
      'all of them wrong': () => record(10_000, () => 'much too long a value'),
      'others only': () => record(100_000, () => 'value', 'unknown'),
    },
  },
  {
    title: 'a depth of 300',
    spec: () => deepSchema(300, { type: 'string' }),
    objects: {
      'all the way down': () => deep(300, 'value'),
      'something else at the end': () =>
        deep(
          300,
          record(50_000, () => 1),
        ),
    },
  },
  {
    title: 'an enum of 30,000',
    spec: () => listOf({ type: 'string', enum: times(30_000, (i) => `value-${i}`) }),
    objects: {
      'a list of the last one': () => ({ list: times(100_000, () => 'value-29999') }),
      'a list of none of them': () => ({ list: times(100_000, () => 'none') }),
    },
  },
  {
    title: '500 patterns for each item',
    spec: () =>
      listOf({ type: 'string', allOf: times(500, (i) => ({ pattern: `^([a-z0-9]+[.])*[a-z]{1,${i + 10}}$` })) }),
    objects: {
      'some items': () => ({ list: times(50, () => 'some.name.of.a.host') }),
      '60,000 items': () => ({ list: times(60_000, () => 'some.name.of.a.host') }),
      '60,000 items that fit none': () => ({ list: times(60_000, () => 'some.name.of.a.host!') }),
      'texts of 900 characters': () => ({ list: times(1000, () => 'name.'.repeat(180)) }),
    },
  },
  {
    title: 'a pattern that explodes',
    spec: () => listOf({ type: 'string', pattern: '^((a+)+|(a|aa)+|(.*a){8})$' }),
    objects: {
      'many near misses': () => ({ list: times(5000, () => `${'a'.repeat(60)}!`) }),
      'one long near miss': () => ({ list: [`${'a'.repeat(300_000)}!`] }),
    },
  },
  {
    title: '200 alternatives for each item',
    spec: () => listOf({ type: 'integer', anyOf: times(200, (i) => ({ minimum: i * 10, maximum: i * 10 + 1 })) }),
    objects: {
      'a list of the last one': () => ({ list: times(5000, () => 1990) }),
      'a list of none of them': () => ({ list: times(5000, () => -1) }),
    },
  },
  {
    title: 'defaults in every item, many levels deep',
    spec: () => listOf(withDefaults(6)),
    objects: {
      'as many items as fit into 3 MB': () => ({ list: times(1_000_000, () => ({})) }),
      'some items': () => ({ list: times(300, () => ({})) }),
    },
  },
  {
    title: 'a default of 100 KB in every item',
    spec: () => listOf({ type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } }),
    objects: { '5,000 empty items': () => ({ list: times(5000, () => ({})) }) },
  },
  {
    title: 'maps of all sorts, with defaults',
    spec: () => ({
      type: 'object',
      properties: {
        texts: { type: 'object', additionalProperties: { type: 'string' } },
        objects: { type: 'object', additionalProperties: withDefaults(0) },
        anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    }),
    objects: {
      'three maps of 19,000 texts': () => ({
        texts: record(19_000, (i) => `v${i}`),
        objects: record(2000, () => ({})),
        anything: { one: record(19_000, (i) => i), other: times(2000, (i) => ({ z: i, a: i })) },
      }),
      'a map of 60,000': () => ({ texts: record(60_000, (i) => `v${i}`) }),
      'unknown members in all of them': () => ({ objects: record(10_000, () => ({ a: 1, other: 2 })) }),
    },
  },
  {
    title: 'lists that are sets and maps',
    spec: () => ({
      type: 'object',
      properties: {
        set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
        map: {
          type: 'array',
          items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      },
    }),
    objects: {
      'a set of 300,000': () => ({ set: times(300_000, (i) => i) }),
      'a set of the same': () => ({ set: times(300_000, () => 1) }),
      'a map of 100,000': () => ({ map: times(100_000, (i) => ({ k: `key-${i}` })) }),
    },
  },
  {
    title: 'members of any name, and of none that is known',
    spec: () => ({
      type: 'object',
      properties: {
        any: { type: 'object', additionalProperties: { type: 'integer' } },
        kept: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    }),
    objects: {
      'of any name': () => ({ any: record(150_000, () => 1) }),
      'of any name, wrong': () => ({ any: record(150_000, () => 'x') }),
      kept: () => ({ kept: record(150_000, () => ({})) }),
      'a prototype': () => JSON.parse('{"any":{"__proto__":1,"constructor":2},"kept":{"__proto__":{"polluted":true}}}'),
    },
  },
  {
    title: 'rules as expensive as they may be',
    spec: () => ({
      ...listOf({ type: 'integer' }, { maxItems: 500 }),
      'x-kubernetes-validations': [{ rule: 'self.list.all(x, self.list.exists(y, x == y))' }],
    }),
    objects: { 'a full list': () => ({ list: times(500, (i) => i) }) },
  },
  {
    title: 'rules that cost more together than they may',
    spec: () => ({
      ...listOf({ type: 'integer' }, { maxItems: 500 }),
      'x-kubernetes-validations': times(15, (i) => ({
        rule: `self.list.all(x, self.list.exists(y, x == y - ${i} + ${i}))`,
      })),
    }),
    objects: { 'a full list': () => ({ list: times(500, (i) => i) }) },
  },
  {
    title: 'a text that is a duration',
    spec: () => ({ type: 'object', properties: { text: { type: 'string', format: 'duration' } } }),
    objects: {
      'hundreds of thousands of digits': () => ({ text: '0'.repeat(300_000) }),
      'hundreds of thousands of units': () => ({ text: '1h'.repeat(150_000) }),
    },
  },
  {
    title: 'rules that read a text',
    spec: () => ({
      type: 'object',
      properties: { text: { type: 'string', maxLength: 500_000 } },
      'x-kubernetes-validations': [
        { rule: "self.text.trim() != 'x'" },
        { rule: "self.text == '' || double(self.text) > 0.0 || true" },
        { rule: 'isURL(self.text) || true' },
      ],
    }),
    objects: {
      'blanks inside': () => ({ text: `a${' '.repeat(400_000)}b` }),
      'digits that end in something else': () => ({ text: `${'0'.repeat(400_000)}!` }),
      'colons behind a host': () => ({ text: `http://a${':'.repeat(400_000)}\u2028` }),
    },
  },
  {
    title: '60 rules that are long to compile and to run',
    spec: () => listOf({ type: 'integer' }, { maxItems: 200, 'x-kubernetes-validations': times(60, longRule) }),
    objects: { 'a short list': () => ({ list: times(200, (i) => i) }) },
  },
];

describe.each(kinds)('a definition with $title', ({ spec, objects, title }) => {
  const number = kinds.findIndex((one) => one.title === title);
  const names = (attempt: number) => ({ plural: `kinds${number}n${attempt}`, kind: `Kind${number}n${attempt}`, group });
  const collection = `/apis/${group}/v1/namespaces/default/kinds${number}n0`;

  test('is answered and served, while another client is answered within 150 ms', async () => {
    const schema = specOf(spec());
    const answer = await server.bestBeside((attempt) => ({
      path: definitions,
      body: JSON.stringify(definitionOf({ ...names(attempt), schema })),
    }));
    expectCalm(answer);
    expect(answer.status, answer.body.slice(0, 500)).toBe(201);
    await eventually(async () => expect((await server.call({ method: 'GET', path: collection })).status).toBe(200));
    expectCalm(await server.bestBeside(() => ({ method: 'GET', path: `/openapi/v3/apis/${group}/v1` })));
  });

  test.each(Object.entries(objects))('gets an object with %s', async (_, make) => {
    const object = { apiVersion: `${group}/v1`, kind: `Kind${number}n0`, spec: make() };
    const bodyOf = (name: string) => JSON.stringify({ ...object, metadata: { name } });
    const created = await server.bestBeside((attempt) => ({ path: collection, body: bodyOf(`object-${attempt}`) }));
    expect([201, 400, 413, 422], created.body.slice(0, 500)).toContain(created.status);
    expectCalm(created);
    const path = `${collection}/applied?fieldManager=test&force=true`;
    const type = 'application/apply-patch+yaml';
    const applied = await server.bestBeside(() => ({ method: 'PATCH', path, type, body: bodyOf('applied') }));
    // what does not fit its schema at all cannot be applied, which is said with a 500
    if (applied.status === 500) expect(applied.body).toContain('failed to create typed patch object');
    else expect([201, 200, 400, 413, 422], applied.body.slice(0, 500)).toContain(applied.status);
    expectCalm(applied);
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    expectCalm(await server.bestBeside(() => ({ method: 'GET', path: collection, headers: { accept } })));
    await server.call({ method: 'DELETE', path: collection });
  });
});

describe('an object in another version than the stored one', () => {
  const names = { plural: 'doubles', kind: 'Double' };
  const things = `/apis/${group}/v2/namespaces/default/${names.plural}`;
  const shapes: Readonly<Record<string, (index: number) => unknown>> = {
    set: (index) => `s${index}`,
    map: (index) => ({ k: `k${index}`, v: index }),
  };

  beforeAll(async () => {
    const items = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } };
    const schema = specOf({
      type: 'object',
      properties: {
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        map: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      },
    });
    const versions = ['v1', 'v2'].map((name) => ({
      ...{ name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: schema } },
    }));
    const body = JSON.stringify(definitionOf({ ...names, group, spec: { versions } }));
    const { status, body: answer } = await server.call({ path: definitions, body });
    expect(status, answer).toBe(201);
    await eventually(async () => expect((await server.call({ method: 'GET', path: things })).status).toBe(200));
  });

  test.each([
    ['set', 55_000],
    ['map', 15_000],
  ] as const)('that is a large %s is created, applied by two managers and listed', async (shape, count) => {
    const bodyOf = (name: string, more = '') => {
      const list = times(count, shapes[shape] as (index: number) => unknown);
      const body = JSON.stringify({
        apiVersion: `${group}/v2`,
        kind: names.kind,
        metadata: { name },
        spec: { [shape]: list },
      });
      return more === '' ? body : body.replaceAll('"v":', `"v":${more}`);
    };
    expectCalm(await server.bestBeside((attempt) => ({ path: things, body: bodyOf(`${shape}-${attempt}`) })));
    const type = 'application/apply-patch+yaml';
    const apply = (manager: string, body: string) =>
      server.bestBeside((attempt) => ({
        ...{ method: 'PATCH', path: `${things}/${shape}?fieldManager=${manager}-${attempt}`, type, body },
      }));
    for (const [manager, body, status] of [
      ['one', bodyOf(shape), [201, 200]],
      ['other', bodyOf(shape), [200]],
      ['third', bodyOf(shape, '1'), [200, 409]],
    ] as const) {
      const answer = await apply(manager, body);
      expect(status, answer.body.slice(0, 300)).toContain(answer.status);
      expectCalm(answer);
    }
    expectCalm(await server.bestBeside(() => ({ method: 'GET', path: things })));
    await server.call({ method: 'DELETE', path: things });
  });
});

describe('a definition with columns that search whole objects', () => {
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const shapes: readonly (readonly [string, string[], unknown])[] = [
    ['five descents through 90 levels', ['..a..a..a..a..a.missing'], deep(90, 1)],
    ['1,300 descents through 900 levels', [`${'..a'.repeat(1300)}.missing`], deep(900, 1)],
    ['descents to all members', ['..*..*..*..*..*.missing'], times(200, () => deep(90, 1))],
    ['a descent in 5,000 columns', times(5000, () => '..missing'), times(200, () => deep(90, 1))],
    ['5,000 columns of the whole object', times(5000, () => '.spec'), 'text '.repeat(100_000)],
  ];

  test.each(shapes)('of %s shows a table while another client is answered', async (title, paths, spec) => {
    const plural = `columns${shapes.findIndex(([one]) => one === title)}`;
    const names = { plural, kind: `C${plural}`, group };
    const additionalPrinterColumns = paths.map((jsonPath, i) => ({ name: `c${i}`, type: 'string', jsonPath }));
    const body = JSON.stringify(definitionOf({ ...names, version: { additionalPrinterColumns } }));
    expect((await server.call({ path: definitions, body })).status).toBe(201);
    const collection = `/apis/${group}/v1/namespaces/default/${plural}`;
    await eventually(async () => expect((await server.call({ method: 'GET', path: collection })).status).toBe(200));
    const object = { apiVersion: `${group}/v1`, kind: names.kind, metadata: { name: 'one' }, spec };
    expect((await server.call({ path: collection, body: JSON.stringify(object) })).status).toBe(201);
    const shown = await server.bestBeside(() => ({ method: 'GET', path: collection, headers: { accept } }));
    expectCalm(shown);
    const { columnDefinitions, rows } = JSON.parse(shown.body);
    expect(columnDefinitions).toHaveLength(1 + Math.min(100, paths.length));
    expect(rows[0].cells).toEqual(['one', ...times(Math.min(100, paths.length), () => null)]);
  });

  test('fills in what the rows of a table may cost together, and other columns always', async () => {
    const names = { plural: 'manyrows', kind: 'ManyRow', group };
    const columns = ['.spec[*].found', '.last'].map((jsonPath, i) => ({ name: `c${i}`, type: 'string', jsonPath }));
    const body = JSON.stringify(definitionOf({ ...names, version: { additionalPrinterColumns: columns } }));
    expect((await server.call({ path: definitions, body })).status).toBe(201);
    const collection = `/apis/${group}/v1/namespaces/default/manyrows`;
    await eventually(async () => expect((await server.call({ method: 'GET', path: collection })).status).toBe(200));
    const spec = [...times(15_000, () => ({})), { found: 'yes' }];
    for (const name of times(9, (i) => `row-${i}`)) {
      const object = { apiVersion: `${group}/v1`, kind: names.kind, metadata: { name }, spec, last: name };
      expect((await server.call({ path: collection, body: JSON.stringify(object) })).status).toBe(201);
    }
    for (const type of [accept, accept.replace('json', 'yaml')]) {
      const shown = await server.call({ method: 'GET', path: collection, headers: { accept: type } });
      const { rows } = parse(shown.body);
      // each search costs 13,000 visits beyond the 2,000 that are free
      expect(rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual(
        times(9, (i) => [`row-${i}`, i < 7 ? 'yes' : null, `row-${i}`]),
      );
    }
    const one = await server.call({ method: 'GET', path: `${collection}/row-8`, headers: { accept } });
    expect(JSON.parse(one.body).rows[0].cells).toEqual(['row-8', 'yes', 'row-8']);
  });
});

/** A list of lists of lists, of each item with each other one. */
const nestedLoops = (depth: number): string =>
  depth === 0 ? 'self.list' : `self.list.map(x${depth}, ${nestedLoops(depth - 1)})`;

/** Validation errors are bounded, in number and in length. */
const longestRefusal = 1_500_000;

function expectCalm({ longestWaitMs, status, body }: Measured): void {
  expect(longestWaitMs, `${status} ${body.slice(0, 200)}`).toBeLessThan(maxWaitMs);
  if (status === 422) expect(body.length).toBeLessThan(longestRefusal);
}

test.each([
  ['a reference to itself', '$ref is not supported', { type: 'object', properties: { a: { $ref: '#/properties/a' } } }],
  ['a reference to the whole in every item', '$ref is not supported', listOf({ $ref: '#' })],
  [
    'two references to each other',
    '$ref is not supported',
    { type: 'object', properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } } },
  ],
  [
    'a pattern that repeats repetitions',
    'must be a valid regular expression',
    { type: 'string', pattern: '((a{1,1000}){1,1000}){1,1000}' },
  ],
  [
    'a pattern of 4,000 groups in each other',
    'must be a valid regular expression',
    { type: 'string', pattern: `${'('.repeat(4000)}${')'.repeat(4000)}` },
  ],
  ['its own definition', 'definitions is not supported', { type: 'object', definitions: { a: { type: 'object' } } }],
  [
    'a rule over lists without a limit',
    'exceeds budget',
    {
      ...listOf({ type: 'string' }),
      'x-kubernetes-validations': [{ rule: 'self.list.all(x, self.list.all(y, x != y))' }],
    },
  ],
  [
    'a rule that makes lists of lists, ten loops deep',
    'exceeds budget',
    {
      ...listOf({ type: 'integer' }, { maxItems: 100 }),
      'x-kubernetes-validations': [{ rule: `${nestedLoops(10)} != []` }],
    },
  ],
  [
    'a rule of 20,000 brackets in each other',
    'expression recursion limit exceeded',
    {
      type: 'string',
      'x-kubernetes-validations': [{ rule: `${'('.repeat(20_000)}self == ''${')'.repeat(20_000)}` }],
    },
  ],
])('a schema with %s is refused', async (_, why, spec) => {
  const body = JSON.stringify(definitionOf({ plural: 'refuseds', kind: 'Refused', group, schema: specOf(spec) }));
  const answer = await server.bestBeside(() => ({ path: `${definitions}?fieldValidation=Strict`, body }));
  expect(answer.status, answer.body.slice(0, 300)).toBe(422);
  expect(answer.body).toContain(why);
  expectCalm(answer);
});
