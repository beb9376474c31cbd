import { expect, test } from 'vitest';
import { OffFields } from './off-fields.ts';
import { field, listOf, mapOf, string, struct } from './types.ts';

const hook = struct('test', 'Hook', 'What is called.', () => ({
  run: field(1, string, { about: 'A command.' }),
  signal: field(2, string, { pointer: true, off: 'with-struct', about: 'A signal.' }),
}));
const part = struct('test', 'Part', 'One part.', () => ({
  name: field(1, string, { about: 'A name.' }),
  hidden: field(2, string, { off: true, about: 'Of a feature that is off.' }),
  hook: field(3, hook, { pointer: true, about: 'A hook.' }),
  gated: field(4, string, { off: true, gate: 'Feature', about: 'Of a feature that a gate turns on.' }),
  usual: field(5, string, { gate: 'Usual', free: 'plain', about: 'Of a feature that a gate turns off.' }),
  other: field(6, string, { gate: 'Usual', about: 'Of the same one.' }),
}));
const whole = struct('test', 'Whole', 'Parts.', () => ({
  list: field(1, listOf(part), { about: 'Parts in order.' }),
  map: field(2, mapOf(part), { about: 'Parts by name.' }),
  plain: field(3, string, { about: 'A text.' }),
}));

const none = new OffFields();

test('an object without fields that are off stays the same one', () => {
  const object = { list: [{ name: 'a', hook: { run: 'x' } }], map: { k: { name: 'b' } }, plain: 'x' };
  expect(none.without(whole, object)).toBe(object);
});

test('fields that are off go, wherever they stand', () => {
  const object = { list: [{ name: 'a', hidden: 'x' }, { name: 'b' }], map: { k: { hidden: 'y' } }, plain: 'x' };
  expect(none.without(whole, object)).toEqual({ list: [{ name: 'a' }, { name: 'b' }], map: { k: {} }, plain: 'x' });
});

test('a struct that had nothing else to say goes with its field', () => {
  const object = {
    list: [{ name: 'a', hook: { signal: 'INT' } }, { hook: { run: 'x', signal: 'INT' } }, { hook: {} }],
  };
  expect(none.without(whole, object)).toEqual({ list: [{ name: 'a' }, { hook: { run: 'x' } }, { hook: {} }] });
});

test('a feature that the old object has may change, and be used elsewhere', () => {
  const object = { list: [{ hidden: 'new' }, { hidden: 'new', gated: 'x' }], map: { k: { hidden: 'new' } } };
  expect(none.without(whole, object, { list: [{ hidden: 'old' }] })).toEqual({
    list: [{ hidden: 'new' }, { hidden: 'new' }],
    map: { k: { hidden: 'new' } },
  });
});

test('a gate turns its field on, and no other', () => {
  const object = { list: [{ hidden: 'x', gated: 'y' }] };
  expect(new OffFields({ Feature: true }).without(whole, object)).toEqual({ list: [{ gated: 'y' }] });
  expect(new OffFields({ Feature: false, Other: true }).without(whole, object)).toEqual({ list: [{}] });
});

test('a gate turns its fields off, but for a value that it does not concern', () => {
  const object = { list: [{ usual: 'x', other: 'y' }, { usual: 'plain' }] };
  const off = new OffFields({ Usual: false });
  expect(none.without(whole, object)).toBe(object);
  expect(off.without(whole, object)).toEqual({ list: [{}, { usual: 'plain' }] });
  expect(off.without(whole, object, { list: [{ usual: 'plain' }] })).toEqual({ list: [{}, { usual: 'plain' }] });
  expect(off.without(whole, object, { map: { k: { other: 'z' } } })).toBe(object);
});
