import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { libcOf, withLibc } from './libc.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-libc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the C library of a program', () => {
  test.each([
    ['/lib64/ld-linux-x86-64.so.2', 'glibc'],
    ['/lib/ld-linux.so.3', 'glibc'],
    ['/lib/ld-musl-aarch64.so.1', 'musl'],
    ['', undefined],
  ])('is told by its loader %j: %s', (loader, expected) => {
    const program = join(folder, 'program');
    writeFileSync(program, `\x7fELF${'\0'.repeat(500)}${loader}\0`);
    expect(libcOf(program)).toBe(expected);
  });

  test('is not known of what cannot be read', () => {
    expect(libcOf(join(folder, 'none'))).toBeUndefined();
  });
});

describe('the environment', () => {
  test('says it while something loads, and not afterwards', () => {
    const env: NodeJS.ProcessEnv = {};
    const expected = process.platform === 'linux' ? libcOf(process.execPath) : undefined;
    expect(withLibc(() => env['LIBC'], env)).toBe(expected);
    expect('LIBC' in env).toBe(false);
  });

  test('keeps what somebody has said', () => {
    const env: NodeJS.ProcessEnv = { LIBC: 'other' };
    expect(withLibc(() => env['LIBC'], env)).toBe('other');
    expect(env).toEqual({ LIBC: 'other' });
  });
});
