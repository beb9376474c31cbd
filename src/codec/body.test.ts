import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json/json.ts';
import { scanJson } from '../base/json/json-scan.ts';
import { cluster, kubernetes } from '../meta/dialect.ts';
import { moveToLane } from '../meta/move-to-lane.ts';
import { ApiError } from '../meta/status.ts';
import { bytes, double, field, fieldsV1, int32, listOf, mapOf, string, struct } from '../schema/types.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { mediaTypeOf, parseBody, parseYaml } from './body.ts';
import { sealEnvelope } from './protobuf/envelope.ts';
import { encodeMessage } from './protobuf/message.ts';
import { ProtobufWriter } from './protobuf/writer.ts';

const thing = struct('test/v1', 'Thing', '', {
  name: field(1, string),
  count: field(2, int32, { pointer: true }),
  data: field(3, mapOf(bytes)),
  owned: field(4, fieldsV1, { pointer: true }),
  list: field(5, listOf(int32)),
  share: field(6, double, { pointer: true }),
});

const parse = async (contentType: string | undefined, body: string | Uint8Array) =>
  (await parseBody(contentType, typeof body === 'string' ? Buffer.from(body) : body, thing, kubernetes)).value;

async function refusal(contentType: string | undefined, body: string | Uint8Array): Promise<ApiError> {
  try {
    await parse(contentType, body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

const protobuf = 'application/vnd.kubernetes.protobuf';

function message(value: JsonObject): Buffer {
  const out = new ProtobufWriter();
  encodeMessage(thing, value, out);
  return out.finish();
}

describe('the media type', () => {
  test.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['Application/JSON', 'application/json'],
    [' application/yaml ;a=b', 'application/yaml'],
  ])('of %j is %s', (contentType, expected) => {
    expect(mediaTypeOf(contentType)).toBe(expected);
  });

  test.each([
    'text/plain',
    'application/xml',
    'application/merge-patch+json',
    'json',
    'constructor',
    ';',
    'application/json; charset',
  ])('%j is not written in', async (contentType) => {
    expect(await refusal(contentType, '{}')).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });

  test('a refusal lists what could be read', () => {
    expect(() => parseBody('text/plain', Buffer.from('{}'), thing, cluster())).toThrow(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.cluster.protobuf',
    );
  });

  // wildcards belong into Accept; NegotiateInputSerializer compares Content-Type as it is
  test.each(['*/*', 'application/*'])('%j is not written in either', async (contentType) => {
    expect((await refusal(contentType, '{}')).code).toBe(415);
  });
});

describe('JSON', () => {
  test('is read, also from the middle of a buffer', async () => {
    const shared = Buffer.from('xxx{"a":"é"}yyy');
    expect(await parse('application/json', shared.subarray(3, 13))).toEqual({ a: 'é' });
  });

  test('with __proto__ in it is data', async () => {
    const value = (await parse(undefined, '{"__proto__":{"a":1},"constructor":2}')) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test.each(['', ' ', '{', '{"a":}', "{'a':1}", '{"a":1}{}', 'undefined', '{"a":01}', '[1,]'])(
    'that is broken is a 400: %j',
    async (body) => {
      const error = await refusal('application/json', body);
      expect(error).toMatchObject({ code: 400, reason: 'BadRequest' });
      expect(error.message).toMatch(
        /^the object provided is unrecognized \(must be of type Thing\): couldn't get version\/kind; json parse error: /,
      );
    },
  );

  test('that is broken is told with its beginning', async () => {
    expect((await refusal(undefined, '')).message).toMatch(/: unexpected end of JSON input \(<empty>\)$/);
    expect((await refusal(undefined, '{} x')).message).toMatch(/: invalid character 'x' .* \({} x\)$/);
    expect((await refusal(undefined, '\ufeff{}')).message).toMatch(/invalid character 'ï' .* \(efbbbf7b7d\)$/);
  });

  test.each(['1.0', '1e1', '1E0', '-1.5', '0.0'])('takes no %s for an integer', async (literal) => {
    for (const body of [`{"count":${literal}}`, `{"count" : ${literal} , "name":":"}`]) {
      expect((await refusal(undefined, body)).message).toBe(
        `Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number ${literal} into Go struct field Thing.count of type int32`,
      );
    }
    expect((await refusal(undefined, `{"list":[7, ${literal}]}`)).message).toContain('Thing.list of type int32');
    expect(await parse(undefined, `{"share":${literal},"owned":{"count":${literal}}}`)).toHaveProperty('share');
    expect(await parse('application/yaml', `{"count":${literal}}`)).toHaveProperty('count');
  });

  test('in which half a character stands is read without it', async () => {
    const body = String.raw`{"a":"\ud800x","b\udc00":["\ud83d\ude00","\\ud800"]}`;
    expect(await parse(undefined, body)).toEqual({ a: '\ufffdx', 'b\ufffd': ['😀', '\\ud800'] });
  });

  test('nested very deeply is refused, whatever is written between', async () => {
    expect((await refusal('application/json', '['.repeat(100_000) + ']'.repeat(100_000))).code).toBe(400);
    expect((await refusal('application/json', '{"a\\":{":'.repeat(50_000))).code).toBe(400);
  });

  test('with many brackets in its text is not deep', async () => {
    const text = '[{\\"'.repeat(2000);
    expect(await parse('application/json', JSON.stringify({ text }))).toEqual({ text });
  });
});

describe('YAML', () => {
  test.each([
    ['a: 1\nb: [x, "2", true, null]', { a: 1, b: ['x', '2', true, null] }],
    ['{"a": {"b": "c"}}', { a: { b: 'c' } }],
    ['a: &x {k: v}\nb: *x', { a: { k: 'v' }, b: { k: 'v' } }],
    ['base: &x {k: v}\nb:\n  <<: *x\n  l: w', { base: { k: 'v' }, b: { k: 'v', l: 'w' } }],
    ['1: a', { 1: 'a' }],
    ['# nothing', null],
  ])('%j', async (text, expected) => {
    expect(await parse('application/yaml', text)).toEqual(expected);
  });

  test('with __proto__ in it is data', async () => {
    const value = (await parse('application/yaml', '__proto__: {a: 1}')) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test.each(['a: [', 'a: b: c', '\t- x', 'a: *nowhere'])('that is broken is a 400: %j', async (text) => {
    const error = await refusal('application/yaml', text);
    expect(error).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(error.message).toMatch(
      /^the object provided is unrecognized \(must be of type Thing\): yaml: [^\n]* \([0-9a-f]+\)$/,
    );
  });

  test('that is broken is told with its line', async () => {
    await expect(parseYaml(Buffer.from('a: 1\nb: [1\n'))).rejects.toThrow(
      /^error converting YAML to JSON: yaml: line 2: did not find expected ',' or '\]'$/,
    );
  });

  test.each<[string, unknown]>([
    ['.', '.'],
    ['e1', 'e1'],
    ['E10', 'E10'],
    ['+.', '+.'],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['1.', 1],
    ['1.0', 1],
    ['1e3', 1000],
    ['1.5e1', 15],
    ['12e03', 12000],
    ['1e400', '1e400'],
    ['0o17', 15],
    ['-0o17', -15],
    ['017', 15],
    ['08', 8],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['_1', '_1'],
    ['12:30:45', '12:30:45'],
    ['2024-01-01', '2024-01-01'],
    ['yes', true],
    ['Off', false],
    ['nO', 'nO'],
    ['~', null],
    ['=', '='],
    ['!!str 1', '1'],
    ['!foo bar', 'bar'],
    ['!!binary aGk=', 'hi'],
  ])('%s', async (text, expected) => {
    expect(await parse('application/yaml', `a: ${text}`)).toEqual({ a: expected });
  });

  test.each(['a: .inf', 'a: .NaN', '~: a', '? [a]\n: b', 'a: {<<: x}'])('cannot become JSON: %j', async (text) => {
    expect((await refusal('application/yaml', text)).code).toBe(400);
  });

  test('names keys that repeat as they are, and where their values begin', async () => {
    const parsed = await parseYaml(Buffer.from('a: 1\na:\n  1: x\n  1: y\n  yes: x\n  on: y\n'));
    expect(parsed.told).toEqual([
      'line 3: key "a" already set in map',
      'line 4: key 1 already set in map',
      'line 6: key true already set in map',
    ]);
  });

  test('may be long where it is JSON', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(300 * 1024) });
    expect((await parseYaml(Buffer.from(text))).value).toHaveProperty('a');
    await expect(parseYaml(Buffer.from(`a: ${'x'.repeat(300 * 1024)}`))).rejects.toMatchObject({ code: 413 });
  });

  test('that grows without bounds through aliases is refused', async () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`,
    );
    expect((await refusal('application/yaml', levels.join('\n'))).code).toBe(400);
  });
});

describe('protobuf', () => {
  const raw = message({ name: 'a', count: 0, data: { k: 'AQI=' } });

  test.each([protobuf, 'application/vnd.cluster.protobuf'])('is read as %s', async (contentType) => {
    const body = sealEnvelope({ apiVersion: 'test/v1', kind: 'Thing', raw });
    const fields = { name: 'a', count: 0, data: { k: 'AQI=' } };
    expect(await parse(contentType, body)).toEqual({ apiVersion: 'test/v1', kind: 'Thing', ...fields });
  });

  test('without a kind is read as what is expected', async () => {
    const body = sealEnvelope({ apiVersion: '', kind: '', raw });
    expect(await parse(protobuf, body)).toMatchObject({ apiVersion: '', kind: '', name: 'a' });
  });

  test('of a version that is none says no version', async () => {
    const body = sealEnvelope({ apiVersion: 'a/b/c', kind: 'Thing', raw });
    expect(await parse(protobuf, body)).toMatchObject({ apiVersion: '', kind: 'Thing', name: 'a' });
  });

  test('of another kind is not read: its numbers mean other fields', async () => {
    const body = sealEnvelope({ apiVersion: 'v1', kind: 'Other', raw });
    expect(await parse(protobuf, body)).toEqual({ apiVersion: 'v1', kind: 'Other' });
  });

  const unknown = 'the object provided is unrecognized (must be of type Thing): ';
  test.each([
    [
      'no magic bytes',
      Buffer.from('{}'),
      `${unknown}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})`,
    ],
    ['nothing', new Uint8Array(0), `${unknown}empty data (<empty>)`],
    ['magic bytes alone', Buffer.from([0x6b, 0x38, 0x73, 0x00]), `${unknown}empty body (6b387300)`],
    [
      'a cut-off envelope',
      Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, 0x7f, ...new Uint8Array(30)]),
      `${unknown}unexpected EOF (6b3873000a7f${'00'.repeat(24)} ...)`,
    ],
    [
      'a cut-off object',
      sealEnvelope({ apiVersion: 'test/v1', kind: 'Thing', raw: Uint8Array.of(0x0a, 0x7f) }),
      'Thing in version "v1" cannot be handled as a Thing: unexpected EOF',
    ],
  ])('%s is a 400', async (_, body, message) => {
    expect(await refusal(protobuf, body)).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test('with field sets that are no JSON is a 400', async () => {
    const broken = new ProtobufWriter().message(4, (inner) => inner.string(1, '{')).finish();
    expect((await refusal(protobuf, sealEnvelope({ apiVersion: '', kind: 'Thing', raw: broken }))).code).toBe(400);
  });
});

test('of several YAML documents the first one counts', async () => {
  expect((await parseYaml(Buffer.from('a: 1\n---\na: 2\n'))).value).toEqual({ a: 1 });
});

describe('whatever bytes come', () => {
  const yaml = 'application/yaml';
  const refusedOrRead = async (type: string, body: Uint8Array) => {
    try {
      await parseBody(type, body, thing, kubernetes);
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
    }
  };
  const piece = fc.constantFrom(
    'a',
    ': ',
    '- ',
    '\n',
    '  ',
    '&x ',
    '*x',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
    '!!int ',
    '<<: ',
    '? ',
    '#',
    '---',
    '%',
    '\t',
    'y',
    '1e9',
  );

  test('YAML is read or refused', async () => {
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.uint8Array({ maxLength: 60 })), (body) => refusedOrRead(yaml, body)),
      fuzzRuns(300),
    );
  });

  test('JSON is read or refused', async () => {
    const body = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 60 }),
    );
    await fc.assert(
      fc.asyncProperty(body, (bytes) => refusedOrRead('application/json', bytes)),
      fuzzRuns(300),
    );
  });

  test.each([
    ['[', 200_000],
    ['{a: ', 60_000],
    ['- ', 100_000],
    ['? ', 100_000],
  ])('YAML of many %j is refused', async (bracket, count) => {
    await expect(refusal(yaml, bracket.repeat(count))).resolves.toMatchObject({ code: 400 });
  });

  test.each([
    [']', 250_000],
    ['}\n', 125_000],
    ['!x ', 80_000],
    ['*x\n', 80_000],
    ['{a: 1}', 40_000],
    ['%x\n', 80_000],
    ['a: b: c\n', 30_000],
  ])('YAML of many %j is refused at its first error', async (piece, count) => {
    const text = piece.repeat(count);
    await expectProcessorTime(2500, () => expect(refusal(yaml, text)).resolves.toMatchObject({ code: 400 }));
  });

  test.each([
    ['YAML', `a: ${'x'.repeat(97)}`, 16 * 100],
    ['YAML in braces', `{a: ${'x'.repeat(95)}}`, 16 * 100],
    ['JSON with a key that repeats', `{"a": 1, "a": "${'x'.repeat(83)}"}`, 16 * 100],
    ['JSON', `{"a": "${'x'.repeat(91)}"}`, undefined],
  ])('%s of 100 bytes may move the request to the lane before the library reads it', async (_, text, expected) => {
    let size: number | undefined;
    const moveIfLarge = (bytes: number): never => {
      size = bytes;
      throw moveToLane;
    };
    expect(text).toHaveLength(100);
    const read = (async () => parseYaml(Buffer.from(text), { request: { moveIfLarge } }))();
    await expect(read.catch((error: unknown) => error)).resolves.toEqual(
      expected === undefined ? { value: { a: 'x'.repeat(91) } } : moveToLane,
    );
    expect(size).toBe(expected);
  });

  test('YAML of many anchors is nothing with an anchor, and more that is not looked at', async () => {
    const text = Buffer.from('&a '.repeat(80_000));
    await expectProcessorTime(2500, () => expect(parseYaml(text)).resolves.toEqual({ value: null }));
  });

  test('YAML of many keys takes time in proportion to their number', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    await expectProcessorTime(2500, async () => {
      expect(Object.keys((await parseYaml(Buffer.from(keys))).value as object)).toHaveLength(20_000);
    });
  });

  test('more values than any object has are refused, in whatever format', async () => {
    const ones = (count: number) => Array.from({ length: count }, () => 1);
    const json = JSON.stringify({ list: ones(70_000) });
    const tooMany = { code: 413, message: 'Request entity too large: the body holds more than 65536 values' };
    for (const type of ['application/json', 'application/yaml'])
      await expect(refusal(type, json)).resolves.toMatchObject(tooMany);
    await expect(refusal('application/yaml', `list:\n${'- \n'.repeat(70_000)}`)).resolves.toMatchObject(tooMany);
    const sealed = (value: JsonObject) => sealEnvelope({ apiVersion: 'test/v1', kind: 'Thing', raw: message(value) });
    await expect(refusal(protobuf, sealed({ list: ones(70_000) }))).resolves.toMatchObject(tooMany);
    await expect(refusal(protobuf, sealed({ owned: { list: ones(70_000) } }))).resolves.toMatchObject(tooMany);
    expect(await parse('application/json', JSON.stringify({ list: ones(60_000) }))).toEqual({ list: ones(60_000) });
  });

  test('protobuf that is read next to other protobuf has its own limit', async () => {
    const list = Array.from({ length: 60_000 }, () => 1);
    const body = sealEnvelope({ apiVersion: 'test/v1', kind: 'Thing', raw: message({ list }) });
    const read = await Promise.all([parse(protobuf, body), parse(protobuf, body), parse(protobuf, body)]);
    for (const value of read) expect(value).toMatchObject({ list });
  });

  test('large JSON is read as small JSON is', async () => {
    const more = JSON.stringify(Array.from({ length: 6000 }, (_, index) => ({ index })));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), async (value) => {
        const text = `{"more":${more},"value":${JSON.stringify(value)}}`;
        expect(await parse('application/json', text)).toEqual(scanJson(text));
      }),
      fuzzRuns(20),
    );
  });

  test('aliases of aliases are refused', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    await expect(refusal(yaml, lines.join('\n'))).resolves.toMatchObject({ code: 400 });
  });

  test.each([
    ['a: y', { a: true }],
    ['a: no', { a: false }],
    ['a: 2001-01-01', { a: '2001-01-01' }],
    ['a: 1:30', { a: '1:30' }],
    ['a: 9007199254740993', { a: 9007199254740993n }],
    ['__proto__: {a: 1}', JSON.parse('{"__proto__":{"a":1}}')],
  ])('%j is read by the rules of YAML 1.1', async (text, value) => {
    expect(await parse(yaml, text)).toEqual(value);
  });
});
