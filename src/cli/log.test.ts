import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { createLog } from './log.ts';

class Screen {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

/** What is written of one line, without its time. */
function written(
  format: 'text' | 'json',
  fields: object,
  message = 'hello',
  level: 'info' | 'warn' | 'error' = 'warn',
) {
  const screen = new Screen();
  createLog(screen, format, {})[level](fields, message);
  return screen.text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '<time>');
}

describe('the format', () => {
  test('is text with colour on a terminal, JSON elsewhere, and text without colour where that is asked for', () => {
    const [terminal, plain, pipe] = [new Screen(true), new Screen(true), new Screen()];
    createLog(terminal, undefined, {}).warn({ a: 1 }, 'hello');
    createLog(plain, undefined, { NO_COLOR: '1' }).warn({ a: 1 }, 'hello');
    createLog(pipe, undefined, {}).warn({ a: 1 }, 'hello');
    expect(terminal.text.replaceAll('\u001b', '^')).toMatch(/^\S+Z \^\[33mWARN \^\[0m hello \^\[2ma=\^\[0m1\n$/);
    expect(plain.text).toMatch(/^\S+Z WARN {2}hello a=1\n$/);
    expect(JSON.parse(pipe.text)).toEqual({ level: 'warn', time: expect.any(String) as string, msg: 'hello', a: 1 });
  });

  test.each([
    [{ path: '/api/v1', status: 404 }, '<time> WARN  hello path=/api/v1 status=404\n'],
    [{ reason: 'two words' }, '<time> WARN  hello reason="two words"\n'],
    [{ reason: '' }, '<time> WARN  hello reason=""\n'],
    [{ list: ['a', 1] }, '<time> WARN  hello list=["a",1]\n'],
    [{ path: '/a\nWARN forged' }, '<time> WARN  hello path="/a\\nWARN forged"\n'],
    [{ path: '\u001b[2J\u202e\u0085' }, '<time> WARN  hello path="\\u001b[2J\\u202e\\u0085"\n'],
  ])('of %j cannot be mistaken', (fields, line) => expect(written('text', fields)).toBe(line));
});

describe('errors', () => {
  const error = new Error('the webhook gave no answer', { cause: new Error('connect ECONNREFUSED') });

  test('say what failed and why, without a trace of the stack', () => {
    expect(written('text', { err: error })).toBe(
      '<time> WARN  hello error="the webhook gave no answer: connect ECONNREFUSED"\n',
    );
    expect(written('json', { err: error })).not.toContain(' at ');
    const missing = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    expect(written('text', { err: missing }, 'hello', 'error')).toBe(
      '<time> ERROR hello error="ENOENT: no such file"\n',
    );
  });

  test('that are bugs have one', () => {
    expect(written('text', { err: new TypeError('x is undefined') }, 'hello', 'error')).toMatch(
      /\n {4}at .*log\.test\.ts/,
    );
    expect(JSON.parse(written('json', { err: new TypeError('x') }, 'hello', 'error')).stack).toContain('log.test.ts');
  });
});

describe('secrets', () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

  test.each([
    ['a token', `it said Bearer ${jwt}`, jwt],
    ['a bare token', jwt, 'eyJzdWIi'],
    ['an opaque token', 'authorization: Bearer abc.def-123', 'abc.def'],
    ['a password in an address', 'https://admin:hunter2@127.0.0.1/x', 'hunter2'],
    ['a password with an @ in an address', 'https://admin:a@hunter2@127.0.0.1/x', 'hunter2'],
    ['a key', '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', 'MIIabc'],
    ['half a key', '-----BEGIN EC PRIVATE KEY-----\nMIIabc', 'MIIabc'],
    ['a bootstrap token', 'token abcdef.0123456789abcdef is unknown', '0123456789abcdef'],
    ['a token in a query', 'GET /x?access_token=s3cr3t&y=1', 's3cr3t'],
  ])('%s is in no line', (_, text, secret) => {
    for (const format of ['text', 'json'] as const) {
      expect(written(format, { why: text })).not.toContain(secret);
      expect(written(format, {}, text)).not.toContain(secret);
      expect(written(format, { err: new Error(text) }, 'hello', 'error')).not.toContain(secret);
      expect(written(format, { deep: { list: [text] } })).not.toContain(secret);
    }
  });

  test('fields that hold them by their name are left out', () => {
    expect(written('text', { password: 'hunter2', token: 'x1', name: 'n' })).toBe(
      '<time> WARN  hello password="[hidden]" token="[hidden]" name=n\n',
    );
  });

  test('long and hostile texts take no time', async () => {
    const texts = ['eyJ'.repeat(100_000), '-----BEGIN '.repeat(50_000), 'a://'.repeat(100_000), 'a'.repeat(300_000)];
    await expectProcessorTime(1000, () => {
      for (const text of texts) expect(written('text', { why: text }).length).toBeLessThan(20_000);
    });
  });
});
