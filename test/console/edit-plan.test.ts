// What an edit in the console sends to the server.

import { describe, expect, test } from 'vitest';
import { mergeParts, ownedPart, planEdit, removalPatch, withoutField } from '../../console/objects/edit-plan.ts';
import type { Schema } from '../../console/objects/schema.ts';

const item: Schema = { properties: { name: { type: 'string' }, image: { type: 'string' }, tty: { type: 'boolean' } } };
const schema: Schema = {
  properties: {
    labels: { additionalProperties: { type: 'string' } },
    args: { type: 'array', items: { type: 'string' } },
    containers: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: item,
    },
  },
};

const original = {
  labels: { app: 'web', tier: 'front' },
  args: ['a', 'b'],
  containers: [
    { name: 'main', image: 'web:1', tty: true },
    { name: 'side', image: 'log:1' },
  ],
};

const edited = (change: (object: typeof original) => void) => {
  const copy = structuredClone(original);
  change(copy);
  return planEdit(original, copy, schema);
};

describe('the plan of an edit', () => {
  test('holds nothing for an equal object', () => {
    expect(edited(() => {})).toEqual({ applied: undefined, removed: [] });
  });

  test('applies a changed field and no other one', () => {
    const plan = edited(({ labels }) => {
      labels.tier = 'back';
    });
    expect(plan).toEqual({ applied: { labels: { tier: 'back' } }, removed: [] });
  });

  test('applies a field of a list item with the key of the item', () => {
    const plan = edited(({ containers: [, side] }) => {
      if (side) side.image = 'log:2';
    });
    expect(plan.applied).toEqual({ containers: [{ name: 'side', image: 'log:2' }] });
  });

  test('applies lists without keys as a whole', () => {
    expect(edited(({ args }) => args.push('c')).applied).toEqual({ args: ['a', 'b', 'c'] });
  });

  test('removes fields and items, the last ones first', () => {
    const plan = edited((object) => {
      object.labels = { app: 'web' } as typeof object.labels;
      object.containers.splice(0, 1);
    });
    expect(plan).toEqual({
      applied: undefined,
      removed: [
        ['containers', 0],
        ['labels', 'tier'],
      ],
    });
    expect(removalPatch(plan.removed, '7')).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'remove', path: '/containers/0' },
      { op: 'remove', path: '/labels/tier' },
    ]);
  });

  test('escapes names in paths', () => {
    expect(removalPatch([['a/b', '~c']], '1')[1]).toEqual({ op: 'remove', path: '/a~1b/~0c' });
  });

  test('keeps names of the prototype as ordinary fields', () => {
    const after = JSON.parse('{"labels":{"__proto__":"x"}}') as Record<string, unknown>;
    const { applied } = planEdit({ labels: {} }, after, schema);
    expect(JSON.stringify(applied)).toBe('{"labels":{"__proto__":"x"}}');
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

test.each([
  ['.labels.tier', { labels: { app: 'web' } }],
  [
    '.containers[name="main"].image',
    {
      containers: [
        { name: 'main', tty: true },
        { name: 'side', image: 'log:1' },
      ],
    },
  ],
  ['.containers[name="side"]', { containers: [{ name: 'main', image: 'web:1', tty: true }] }],
])('a field in conflict is left out: %s', (field, left) => {
  expect(withoutField(original, field)).toEqual({ ...original, ...left });
});

test('what the console applied before is applied again, with the change', () => {
  const tree = {
    'f:labels': { 'f:app': {} },
    'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:tty': {} } },
  };
  const owned = ownedPart(original, tree);
  expect(owned).toEqual({ labels: { app: 'web' }, containers: [{ name: 'main', tty: true }] });
  const change = {
    containers: [
      { name: 'main', image: 'web:2' },
      { name: 'new', image: 'x' },
    ],
  };
  expect(mergeParts(owned, change, schema)).toEqual({
    labels: { app: 'web' },
    containers: [
      { name: 'main', tty: true, image: 'web:2' },
      { name: 'new', image: 'x' },
    ],
  });
});
