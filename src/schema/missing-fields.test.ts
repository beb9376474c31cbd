import { describe, expect, test } from 'vitest';
import { lacksRequired } from './missing-fields.ts';
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

const full = { name: 'a', size: 1 };

describe('an object lacks a required field', () => {
  test.each<[object, object, boolean]>([
    [{ part: full }, { part: full }, false],
    [{}, {}, false],
    [{ part: null }, {}, false],
    [{ part: { size: 1 } }, { part: { size: 1 } }, true],
    [{ part: { name: 'a' } }, { part: { name: 'a', size: 0 } }, true],
    [{ part: { name: '', size: 0 } }, { part: { name: '', size: 0 } }, false],
    [{ part: { name: 'a' } }, { part: { name: 'a', size: 7 } }, false],
    [{ parts: [full, { name: 'b' }] }, { parts: [full, { name: 'b', size: 0 }] }, true],
    [{ byName: { a: full } }, { byName: { a: full } }, false],
    [{ byName: { a: {} } }, { byName: { a: { size: 0 } } }, true],
  ])('%j, with defaults %j: %s', (given, completed, expected) => {
    expect(lacksRequired(whole, given, completed)).toBe(expected);
  });
});
