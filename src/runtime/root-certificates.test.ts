import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readRootCertificates } from './root-certificates.ts';

describe('reading root certificates ahead', () => {
  it('ends by itself and without an error', async () => {
    const thread = readRootCertificates({ env: {}, threads: 2, isPlain: false });
    if (thread === undefined) throw new Error('no thread was started');
    const errors: unknown[] = [];
    thread.on('error', (error) => errors.push(error));
    expect(await once(thread, 'exit')).toEqual([0]);
    expect(errors).toEqual([]);
  });

  it('is left to Node where there are certificates in addition, and to the main thread where there is no other', () => {
    expect(
      readRootCertificates({ env: { NODE_EXTRA_CA_CERTS: '/some/file' }, threads: 8, isPlain: false }),
    ).toBeUndefined();
    expect(readRootCertificates({ env: {}, threads: 1, isPlain: false })).toBeUndefined();
  });

  it('is left out with a plain runtime', () => {
    expect(readRootCertificates({ env: {}, threads: 8, isPlain: true })).toBeUndefined();
  });
});
