// A server may be started before its etcd.

import { StoreUnavailableError } from '../store.ts';
import { isOutage } from './connection.ts';
import { type EtcdOptions, openEtcdStore } from './etcd-store.ts';

const pauseMs = 500;

/**
 * Resolves when etcd answers; calls `onWait` once, with the reason, when it does not answer at first. Rejects when etcd refuses
 * this client: waiting would not help.
 */
export async function waitForEtcd(options: EtcdOptions, onWait: (reason: string) => void): Promise<void> {
  const store = openEtcdStore(options);
  try {
    for (let attempt = 1; ; attempt++) {
      const failure = await attempted(() => store.currentRevision());
      if (failure === undefined) return;
      if (attempt === 1) onWait(failure.message);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    await store.close();
  }
}

/** The error of an etcd that cannot be reached; undefined after an answer. Throws any other. */
async function attempted(read: () => unknown): Promise<StoreUnavailableError | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    const isMissing = error instanceof StoreUnavailableError && (error.cause === undefined || isOutage(error.cause));
    if (isMissing) return error;
    throw error;
  }
}
