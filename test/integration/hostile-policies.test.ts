// Policies may be as long as an object may be: what they hold is read in turns, and other clients are answered in between.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HostileServer, maxWaitMs, startHostileServer } from './hostile-bodies.ts';
import { bindings, matching, mutatingBindings, mutatingPolicies, policies } from './policies.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

const chain = (index: number, terms: number) =>
  Array.from({ length: terms }, (_, term) => `size(object.metadata.name) != ${index * terms + term + 1000}`).join(
    ' && ',
  );

/** Other variables in each attempt: what was compiled once is known. */
const variables = (attempt: number, count: number, terms: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `v${index}`,
    expression: chain(attempt * count + index, terms),
  }));

async function stored(path: string, body: object): Promise<void> {
  const { status, body: answer } = await server.call({ path, body: JSON.stringify(body) });
  expect(status, answer.slice(0, 500)).toBe(201);
}

const configMap = (name: string) => ({
  path: '/api/v1/namespaces/default/configmaps',
  body: JSON.stringify({ metadata: { name } }),
});

test.each([
  ['thousands of variables', 2500, 2],
  ['long variables', 20, 300],
])('another client is answered while the server reads a validating policy with %s', async (_, count, terms) => {
  for (let attempt = 0; ; attempt++) {
    const name = `many-${count}-${attempt}`;
    const matchConstraints = matching('configmaps');
    const validations = [{ expression: 'variables.v0 && variables.v1' }];
    await stored(policies, {
      metadata: { name },
      spec: { matchConstraints, variables: variables(attempt, count, terms), validations },
    });
    await stored(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } });
    const answer = await server.alongside(configMap(name));
    expect(answer.status, answer.body.slice(0, 500)).toBe(201);
    if (answer.longestWaitMs > maxWaitMs && attempt < 4) continue;
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
    return;
  }
});

test('another client is answered while the server reads a mutating policy with thousands of variables', async () => {
  for (let attempt = 0; ; attempt++) {
    const name = `changing-${attempt}`;
    const expression = "Object{metadata: Object.metadata{labels: {'seen': string(variables.v0)}}}";
    const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
    const spec = { matchConstraints: matching('configmaps'), reinvocationPolicy: 'Never', mutations };
    await stored(mutatingPolicies, {
      metadata: { name },
      spec: { ...spec, variables: variables(attempt + 10, 2000, 2) },
    });
    await stored(mutatingBindings, { metadata: { name }, spec: { policyName: name } });
    const answer = await server.alongside(configMap(name));
    expect(answer.status, answer.body.slice(0, 500)).toBe(201);
    if (answer.longestWaitMs > maxWaitMs && attempt < 4) continue;
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
    return;
  }
});

test('another client is answered while the server checks a policy of 100 kilobytes', async () => {
  const answer = await server.bestBeside((attempt) => {
    const spec = { matchConstraints: matching('secrets'), variables: variables(attempt + 100, 12, 220) };
    const validations = [{ expression: 'variables.v0' }];
    const body = JSON.stringify({ metadata: { name: `long-${attempt}` }, spec: { ...spec, validations } });
    expect(body.length).toBeLessThan(128 * 1024);
    return { path: policies, body };
  });
  expect(answer.status, answer.body.slice(0, 500)).toBe(201);
  expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
});

/** Many pairs, each of which costs little: the whole limit of an expression is used. */
const pairs = 'size(object.data) > 0 && object.data.all(a, object.data.all(b, a != b || a == b))';
/** Every value is compared, which costs next to nothing, and takes long. */
const comparisons = Array.from({ length: 100 }, (_, index) => `object.data != {'k${index}': ''}`).join(' && ');
const sameAgain = Array.from(
  { length: 20 },
  () => 'dyn(object) == dyn(object.data) || dyn(object.data) == dyn(object.data)',
).join(' && ');

/** A list that has a list twice, which has a list twice, and so on. */
const doubledLists = Array.from({ length: 26 }, (_, index) => ({
  name: `doubled${index}`,
  expression: index === 0 ? '[0]' : `[variables.doubled${index - 1}, variables.doubled${index - 1}]`,
}));
/** `&a` 400,000 times, for which an expression would be too long. */
const longText = [
  { name: 'piece', expression: "lists.range(1000).map(i, '&a').join('')" },
  { name: 'text', expression: "lists.range(400).map(i, variables.piece).join('')" },
];

const largeMap = (name: string) => ({
  path: '/api/v1/namespaces/default/configmaps',
  body: JSON.stringify({
    metadata: { name, labels: { large: 'yes' } },
    data: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'v'.repeat(30)])),
  }),
});

test.each([
  ['pairs of all items', pairs, /actual cost limit exceeded/],
  ['a variable of pairs of all items', 'variables.pairs', /actual cost limit exceeded/],
  ['comparisons of everything', `${comparisons} && ${sameAgain}`, undefined],
  [
    'the text of a list that holds a list twice, and so on',
    `'%s'.format([variables.doubled25]) == ''`,
    /actual cost limit exceeded/,
  ],
  [
    'the least of one long text, 20,000 times',
    "object.data.map(k, variables.text).min() == ''",
    /actual cost limit exceeded/,
  ],
  [
    'the query of a long address',
    "url('http://a/?' + variables.text).getQuery().size() == 0",
    /actual cost limit exceeded/,
  ],
  [
    'the text of a long list',
    "'%s'.format([object.data.map(k, variables.text)]) == ''",
    /string is longer than 1000000 characters/,
  ],
])('another client is answered while a policy looks at %s', async (title, expression, refusal) => {
  const name = `expensive-${title.replace(/\W/g, '-')}`;
  const objectSelector = { matchLabels: { large: 'yes' } };
  await stored(policies, {
    metadata: { name },
    spec: {
      matchConstraints: { ...matching('configmaps'), objectSelector },
      variables: [{ name: 'pairs', expression: pairs }, ...doubledLists, ...longText],
      validations: [{ expression }],
    },
  });
  await stored(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } });
  const answer = await server.bestBeside((attempt) => largeMap(`${name}-${attempt}`));
  expect(answer.status, answer.body.slice(0, 500)).toBe(refusal === undefined ? 201 : 422);
  if (refusal !== undefined) expect(answer.body).toMatch(refusal);
  expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  await server.call({ method: 'DELETE', path: `${bindings}/${name}` });
});

const grown = (first: string, next: (before: string) => string) =>
  Array.from({ length: 30 }, (_, index) => ({
    name: `v${index}`,
    expression: index === 0 ? first : next(`variables.v${index - 1}`),
  }));

test.each([
  ['doubles a text', grown("'0123456789abcdef'", (text) => `${text} + ${text}`)],
  ['replaces each letter by eight', grown("'aaaaaaaa'", (text) => `${text}.replace('a', 'aaaaaaaa')`)],
  ['joins its letters by others', grown(`'${'a'.repeat(32)}'`, (text) => `${text}.split('').join('0123456789')`)],
])('another client is answered while a policy %s again and again', async (title, variables) => {
  const name = `growing-${title.replace(/\W/g, '-')}`;
  const objectSelector = { matchLabels: { growing: 'yes' } };
  await stored(policies, {
    metadata: { name },
    spec: {
      matchConstraints: { ...matching('configmaps'), objectSelector },
      variables,
      validations: [{ expression: 'variables.v29.size() > 0' }],
    },
  });
  await stored(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } });
  const answer = await server.bestBeside((attempt) => ({
    path: '/api/v1/namespaces/default/configmaps',
    body: JSON.stringify({ metadata: { name: `${name}-${attempt}`, labels: { growing: 'yes' } } }),
  }));
  expect([answer.status, answer.body]).toEqual([
    422,
    expect.stringContaining('string is longer than 1000000 characters'),
  ]);
  expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  await server.call({ method: 'DELETE', path: `${bindings}/${name}` });
});

test('another client is answered while a policy reads patterns from an object', async () => {
  const name = 'patterns-of-objects';
  const objectSelector = { matchLabels: { patterns: 'yes' } };
  const expression = 'object.data.all(key, object.data.k0.matches(object.data[key]) || true)';
  await stored(policies, {
    metadata: { name },
    spec: { matchConstraints: { ...matching('configmaps'), objectSelector }, validations: [{ expression }] },
  });
  await stored(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } });
  const answer = await server.bestBeside((attempt) => ({
    path: '/api/v1/namespaces/default/configmaps',
    body: JSON.stringify({
      metadata: { name: `${name}-${attempt}`, labels: { patterns: 'yes' } },
      data: Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [`k${index}`, `(a{1,50}){1,19}${attempt}x${index}`]),
      ),
    }),
  }));
  expect(answer.status, answer.body.slice(0, 500)).toBe(201);
  expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  await server.call({ method: 'DELETE', path: `${bindings}/${name}` });
});
