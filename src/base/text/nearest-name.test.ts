import { describe, expect, test } from 'vitest';
import { nearestName, suggestion } from './nearest-name.ts';

const names = ['serve', 'status', 'secure-port', 'data-dir', 'tls-cert-file', 'v'];

describe('the nearest name', () => {
  test.each([
    ['serv', 'serve'],
    ['SERVE', 'serve'],
    ['sttaus', 'status'],
    ['data-dri', 'data-dir'],
    ['port', 'secure-port'],
    ['tls-cert', 'tls-cert-file'],
    ['sevre', 'serve'],
    ['srve', 'serve'],
    ['tree', undefined],
    ['xyzzy', undefined],
    ['x', undefined],
    ['', undefined],
  ])('of %j is %j', (name, nearest) => {
    expect(nearestName(name, names)).toBe(nearest);
  });

  test('is suggested only where there is one', () => {
    expect(suggestion('serv', names)).toBe('; did you mean serve?');
    expect(suggestion('xyzzy', names)).toBe('');
    expect(nearestName('serve', [])).toBeUndefined();
  });
});
