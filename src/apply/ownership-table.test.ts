// Every row of the specification's table "Field ownership under server-side apply", by its own words.

import { describe, expect, test } from 'vitest';
import { objectMeta } from '../groups/meta/v1/types.ts';
import { field, int32, listOf, mapOf, string, struct } from '../schema/types.ts';
import { Scenario } from './scenario.ts';

const port = struct('test/v1', 'Port', '', {
  number: field(1, int32, { always: true, required: true }),
  protocol: field(2, string, { default: 'TCP' }),
  name: field(3, string),
});
const selector = struct('test/v1', 'Selector', '', { app: field(1, string), tier: field(2, string) });

const thing = (topology: 'granular' | 'atomic' = 'granular') =>
  struct('test/v1', 'Thing', '', {
    metadata: field(1, objectMeta, { always: true }),
    replicas: field(2, int32, { default: 1 }),
    data: field(3, mapOf(string), topology === 'atomic' ? { mapType: 'atomic' } : {}),
    ports: field(
      4,
      listOf(port),
      topology === 'atomic' ? { listType: 'atomic' } : { listType: 'map', mapKeys: ['number', 'protocol'] },
    ),
    tags: field(5, listOf(string), { listType: topology === 'atomic' ? 'atomic' : 'set' }),
    args: field(6, listOf(string)),
    selector: field(7, selector, topology === 'atomic' ? { mapType: 'atomic' } : {}),
  });

const scenario = () => new Scenario({ type: thing() });

describe('a field owned by manager A', () => {
  test('apply by B, value differs, force not true: conflict error; nothing changes; A still owns', () => {
    const story = scenario().apply('A', { data: { k: '1' } });
    const error = story.refusal('B', { data: { k: '2' } });
    expect(error).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "A": .data.k',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "A"', field: '.data.k' }] },
    });
    story.expectFields({ replicas: 1, data: { k: '1' } }).expectOwners({ 'A Apply': ['.data.k'] });
  });

  test("apply by B, value differs, force=true: value changed; B sole owner; gone from other managers' entries", () => {
    scenario()
      .apply('A', { data: { k: '1', other: 'x' } })
      .apply('B', { data: { k: '2' } }, { force: true })
      .expectFields({ replicas: 1, data: { k: '2', other: 'x' } })
      .expectOwners({ 'A Apply': ['.data.other'], 'B Apply': ['.data.k'] });
  });

  test('apply by B, same value: A and B share ownership', () => {
    scenario()
      .apply('A', { data: { k: '1' } })
      .apply('B', { data: { k: '1' } })
      .expectOwners({ 'A Apply': ['.data.k'], 'B Apply': ['.data.k'] });
  });

  test('a write that is no apply changes the value: no conflict; the updater becomes owner', () => {
    scenario()
      .apply('A', { data: { k: '1', other: 'x' } })
      .change('B', { data: { k: '2', other: 'x' } })
      .expectFields({ replicas: 1, data: { k: '2', other: 'x' } })
      .expectOwners({ 'A Apply': ['.data.other'], 'B Update': ['.data.k'] });
  });
});

describe('a shared field', () => {
  test('apply by any owner, value changed: conflict', () => {
    const story = scenario()
      .apply('A', { data: { k: '1' } })
      .apply('B', { data: { k: '1' } });
    expect(story.refusal('A', { data: { k: '2' } }).message).toContain('conflict with "B": .data.k');
    expect(story.refusal('B', { data: { k: '2' } }).message).toContain('conflict with "A": .data.k');
  });

  test("applied by B, apply by B without the field, another manager owns it: value unchanged; B's claim removed", () => {
    scenario()
      .apply('A', { data: { k: '1' } })
      .apply('B', { data: { k: '1', mine: 'b' } })
      .apply('B', { data: { mine: 'b' } })
      .expectFields({ replicas: 1, data: { k: '1', mine: 'b' } })
      .expectOwners({ 'A Apply': ['.data.k'], 'B Apply': ['.data.mine'] });
  });

  test('the other owner may also be a manager that updates', () => {
    scenario()
      .update('A', { data: { k: '1' } })
      .apply('B', { data: { k: '1' } })
      .apply('B', { replicas: 1 })
      .expectFields({ replicas: 1, data: { k: '1' } });
  });
});

describe('a field applied by B only, and no longer', () => {
  test('is deleted from the live object', () => {
    scenario()
      .apply('B', { data: { k: '1', l: '2' } })
      .apply('B', { data: { l: '2' } })
      .expectFields({ replicas: 1, data: { l: '2' } });
  });

  test('or reset to its default if it has one', () => {
    scenario().apply('B', { replicas: 3 }).expectFields({ replicas: 3 }).apply('B', {}).expectFields({ replicas: 1 });
  });

  test('for items of lists and maps the same', () => {
    scenario()
      .apply('A', { ports: [{ number: 80 }], tags: ['a'] })
      .apply('B', { ports: [{ number: 81, name: 'x' }], tags: ['b'], data: { k: '1' } })
      .apply('B', { tags: ['b'] })
      .expectFields({ replicas: 1, ports: [{ number: 80, protocol: 'TCP' }], tags: ['a', 'b'] });
  });

  test('a map that the apply emptied goes with its last key, a declared struct likewise', () => {
    scenario()
      .apply('B', { data: { k: '1' }, selector: { app: 'x' } })
      .apply('B', { replicas: 2 })
      .expectFields({ replicas: 2 });
  });

  test('what others have put into an item that B drops does not save the item', () => {
    scenario()
      .apply('B', { ports: [{ number: 80 }, { number: 81 }] })
      .change('C', {
        ports: [
          { number: 80, protocol: 'TCP', name: 'c' },
          { number: 81, protocol: 'TCP' },
        ],
      })
      .apply('B', { ports: [{ number: 81 }] })
      .expectFields({ replicas: 1, ports: [{ number: 81, protocol: 'TCP' }] });
  });
});

test('a manager with no remaining fields: the entry is deleted automatically', () => {
  scenario()
    .apply('A', { data: { k: '1' } })
    .apply('B', { data: { k: '2' } }, { force: true })
    .expectOwners({ 'B Apply': ['.data.k'] })
    .apply('B', {})
    .expectOwners({});
});

describe('topology changed from map, set or granular to atomic', () => {
  test('the whole belongs to those who owned an element; later changes conflict', () => {
    const before = scenario()
      .apply('A', { data: { a: '1' }, tags: ['a'], ports: [{ number: 1 }], selector: { app: 'x' } })
      .apply('B', { data: { b: '2' }, tags: ['b'], ports: [{ number: 2 }], selector: { tier: 'y' } });
    const after = new Scenario({ type: thing('atomic') });
    after.object = before.object;
    const error = after.refusal('C', { data: { c: '3' }, tags: ['c'], ports: [{ number: 3 }], selector: { app: 'z' } });
    expect(error.details?.causes?.map(({ field: path, message }) => `${path} ${message}`).sort()).toEqual(
      ['.data', '.ports', '.selector', '.tags'].flatMap((path) => [
        `${path} conflict with "A"`,
        `${path} conflict with "B"`,
      ]),
    );
    after.change('D', { replicas: 5 });
    expect(after.owners['A Apply']).toEqual(['.data', '.ports', '.selector', '.tags']);
    expect(after.owners['B Apply']).toEqual(['.data', '.ports', '.selector', '.tags']);
  });
});

describe('topology changed from atomic to map, set or granular', () => {
  test('new ownership not inferred; the field stays with its owner; sub-fields become changeable without conflict', () => {
    const before = new Scenario({ type: thing('atomic') }).apply('A', { data: { a: '1' }, selector: { app: 'x' } });
    expect(before.owners).toEqual({ 'A Apply': ['.data', '.selector'] });
    const after = scenario();
    after.object = before.object;
    after.apply('B', { data: { a: '2' }, selector: { app: 'z' } });
    after.expectFields({ replicas: 1, data: { a: '2' }, selector: { app: 'z' } });
    expect(after.owners).toEqual({ 'A Apply': ['.data', '.selector'], 'B Apply': ['.data.a', '.selector.app'] });
  });
});
