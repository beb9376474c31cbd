import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readRootCertificates } from './root-certificates.ts';

describe('reading root certificates ahead', () => {
  it('ends by itself and without an error', async () => {
    const thread = readRootCertificates({}, 2);
    if (thread === undefined) throw new Error('no thread was started');
    const errors: unknown[] = [];
    thread.on('error', (error) => errors.push(error));
    expect(await once(thread, 'exit')).toEqual([0]);
    expect(errors).toEqual([]);
  });

  it('is left to Node where there are certificates in addition, and to the main thread where there is no other', () => {
    expect(readRootCertificates({ NODE_EXTRA_CA_CERTS: '/some/file' }, 8)).toBeUndefined();
    expect(readRootCertificates({}, 1)).toBeUndefined();
  });
});
