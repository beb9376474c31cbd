// Resident memory without the garbage that happens to lie around: collected first, in servers started for that.
import { once } from 'node:events';
import { within } from '../generator/deferred.mjs';
import { residentMiB } from './usage.mjs';

const COLLECT_MS = 10_000;

/** The environment of a server that collects its garbage when asked. */
export const collectable = {
  ...process.env,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('./collect-on-signal.mjs', import.meta.url)}`,
};

export async function liveMiB(child) {
  child.kill('SIGUSR2');
  await within(COLLECT_MS, 'garbage collection', collected(child));
  return residentMiB(child.pid);
}

async function collected(child) {
  for (;;) {
    const [text] = await once(child.stderr, 'data');
    if (text.includes('collected')) return;
  }
}
