import { describe, expect, test } from 'vitest';
import { missingField } from './missing-fields.ts';
import { field, int32, listOf, mapOf, string, struct } from './types.ts';

const part = struct('x/v1', 'Part', 'A part.', {
  name: field(1, string, { required: true }),
  size: field(2, int32, { required: true, always: true }),
});
const whole = struct('x/v1', 'Whole', 'A whole.', {
  part: field(1, part, {}),
  parts: field(2, listOf(part), {}),
  byName: field(3, mapOf(part), {}),
});
const needy = struct('x/v1', 'Needy', 'Needs a whole.', { spec: field(1, whole, { required: true }) });

const full = { name: 'a', size: 1 };

describe('an object lacks a required field', () => {
  test.each<[object, object, string | undefined]>([
    [{ part: full }, { part: full }, undefined],
    [{}, {}, undefined],
    [{ part: null }, {}, undefined],
    [{ part: { size: 1 } }, { part: { size: 1 } }, 'part.name'],
    [{ part: { name: 'a' } }, { part: { name: 'a', size: 0 } }, 'part.size'],
    [{ part: { name: 'a', size: null } }, { part: { name: 'a', size: 0 } }, 'part.size'],
    [{ part: { name: '', size: 0 } }, { part: { name: '', size: 0 } }, undefined],
    [{ part: { name: 'a' } }, { part: { name: 'a', size: 7 } }, undefined],
    [{ parts: [full, { name: 'b' }] }, { parts: [full, { name: 'b', size: 0 }] }, 'parts[1].size'],
    [{ byName: { a: full } }, { byName: { a: full } }, undefined],
    [{ byName: { a: {} } }, { byName: { a: { size: 0 } } }, 'byName[a].name'],
  ])('%j, with defaults %j: %s', (given, completed, expected) => {
    expect(missingField(whole, given, completed)).toBe(expected);
  });

  test('but not a list or a map that is null, or that the client could not send empty', () => {
    const lists = struct('x/v1', 'Lists', 'Needs lists.', {
      all: field(1, listOf(part), { required: true }),
      named: field(2, mapOf(part), { required: true }),
    });
    expect(missingField(lists, {}, {})).toBe('all');
    expect(missingField(lists, { all: null, named: null }, {})).toBeUndefined();
    expect(missingField(lists, {}, {}, true)).toBeUndefined();
    expect(missingField(lists, { all: [{ name: 'a' }] }, { all: [{ name: 'a' }] }, true)).toBe('all[0].size');
  });

  test('also where defaults fill in what is inside of it', () => {
    expect(missingField(needy, {}, { spec: { part: full } })).toBe('spec');
    expect(missingField(needy, { spec: {} }, { spec: { part: full } })).toBeUndefined();
  });
});
