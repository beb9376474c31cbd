import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import type { StructuralType } from '../schema/structural/structural-type.ts';
import { field, mapOf, rawExtension, string, struct } from '../schema/types.ts';
import { parseJson, parseYaml } from './body.ts';
import { lossyHintsOf, type Parsed, strictErrors } from './strict.ts';

const parsed = (text: string) => parseJson(Buffer.from(text)) as Parsed;

const errors = (text: string, unknown: readonly string[] = []) => strictErrors(parsed(text), unknown);

describe('keys that repeat', () => {
  test.each<[string, string[]]>([
    ['{"a":1,"b":{"a":1}}', []],
    ['{"a":1,"a":1}', ['duplicate field "a"']],
    [
      '{"metadata":{"name":"x","name":"x"},"data":{"a":"1","a":"2"}}',
      ['duplicate field "metadata.name"', 'duplicate field "data.a"'],
    ],
    ['{"l":[{"c":1,"c":1},{"c":1}]}', ['duplicate field "l[0].c"']],
    ['{"a" : 1, "a"\n:2}', ['duplicate field "a"']],
    ['{"a":1,"\\u0061":2}', ['duplicate field "a"']],
    ['{"a":1,"a":1,"a":1}', ['duplicate field "a"']],
    ['{"a":"x\\":y","b":":"}', []],
    ['{"__proto__":1,"__proto__":2}', ['duplicate field "__proto__"']],
  ])('in %s are %j', (text, expected) => {
    expect(errors(text)).toEqual(expected);
  });

  test('the last one counts', () => {
    expect(parsed('{"a":1,"a":2}').value).toEqual({ a: 2 });
  });

  test('are told with unknown fields in the order of the document', () => {
    const text = '{"x":1,"a":1,"s":{"y":{"k":1,"k":2}},"a":2,"z":1}';
    expect(errors(text, ['x', 's.y', 'z'])).toEqual([
      'unknown field "x"',
      'unknown field "s.y"',
      'duplicate field "a"',
      'unknown field "z"',
    ]);
  });

  test('are never missed, and seldom suspected', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 0, max: 2 }), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(errors(text)).toEqual([]);
        const repeated = `{"k":1,"nested":${text},"k":2}`;
        expect(lossyHintsOf(repeated, JSON.parse(repeated) as JsonValue).repeats).toBe(true);
        expect(errors(repeated)).toContain('duplicate field "k"');
      }),
    );
  });

  test('in what is taken as it is are not looked for', () => {
    const type = struct('test/v1', 'Thing', '', { raw: field(1, rawExtension), map: field(2, mapOf(string)) });
    const text = '{"raw":{"a":1,"a":2,"b":[{"c":1,"c":2}]},"map":{"k":"1","k":"2"}}';
    expect(strictErrors(parsed(text), [], type)).toEqual(['duplicate field "map.k"']);
    expect(errors(text)).toHaveLength(3);
  });

  test('of custom resources come before unknown fields, also those in them', () => {
    const text = '{"u":{"a":1,"a":2},"spec":{"b":1,"b":2}}';
    const wanted = ['duplicate field "u.a"', 'duplicate field "spec.b"', 'unknown field "u"'];
    const type = { is: 'structural' } as StructuralType;
    expect(strictErrors(parsed(text), ['u'], type)).toEqual(wanted);
    expect(errors(text, ['u'])).toEqual(['unknown field "u"', 'duplicate field "spec.b"']);
  });

  test('and numbers that are no plain integers are never missed either', () => {
    const literal = fc.constantFrom('1.0', '-2.5', '1e3', '0E0', '10.25e-1');
    const place = fc.constantFrom('{"k":#}', '{"k" :\t#}', '[#]', '[1,\n#]', '{"k":[{"l":[7,#]}]}');
    fc.assert(
      fc.property(fc.jsonValue(), literal, place, (other, number, around) => {
        const text = `{"other":${JSON.stringify(other)},"it":${around.replace('#', number)}}`;
        expect(lossyHintsOf(text, JSON.parse(text) as JsonValue).fractions).toBe(true);
      }),
    );
    expect(lossyHintsOf('{"a":"b:1.5","c":[1,2,"3.5"],"d":7}', { a: '', c: [1, 2, ''], d: 7 }).fractions).toBe(false);
  });

  test('of YAML are named by their line', async () => {
    const parsed = await parseYaml(Buffer.from('a: 1\nb:\n  c: 1\n  c: 2\n'));
    expect(parsed.value).toEqual({ a: 1, b: { c: 2 } });
    expect(strictErrors(parsed, ['b'])).toEqual([
      'yaml: unmarshal errors:\n  line 4: key "c" already set in map',
      'unknown field "b"',
    ]);
  });
});
