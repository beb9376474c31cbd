// What every cluster begins with, kept from the first test server of a process for those that follow: they need not make it again.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/time/clock.ts';
import { formatTime } from '../meta/time.ts';
import type { Checkpoint } from '../storage/store.ts';

type Content = ReturnType<Checkpoint['content']>;

/** Options that change nothing of what a cluster begins with. */
const harmless: ReadonlySet<string> = new Set([
  ...['listen', 'manifests', 'settle', 'store', 'clock', 'log', 'verbosity', 'vmodule', 'controllers'],
  ...[
    'requestTimeoutSeconds',
    'minRequestTimeoutSeconds',
    'historySeconds',
    'shutdownGraceSeconds',
    'shutdownWatchGraceSeconds',
  ],
  ...['shutdownDelaySeconds', 'livezGraceSeconds', 'maxRequestsInflight', 'maxMutatingRequestsInflight'],
  'enablePriorityAndFairness',
]);

let cachedContent: Content | undefined;

/** Whether servers with these options begin with equal content. */
export const beginsAsUsual = (options: object): boolean =>
  Object.entries(options).every(([name, value]) => value === undefined || harmless.has(name));

/** Empty before there was a server. */
export function bootstrapContent(clock: Clock): Content {
  if (cachedContent === undefined) return [];
  const ids = new Map<string, string>();
  const now = formatTime(clock.now());
  return cachedContent.map(({ key, value }) => ({ key, value: renewed(value, ids, now) }));
}

/** To be called before anything but the start has written. */
export function keepBootstrapContent(checkpoint: Checkpoint | undefined): void {
  cachedContent ??= checkpoint?.content();
}

const openingBrace = 0x7b;

/** Another cluster: its objects have other identities, and are of now. */
function renewed(value: Uint8Array, ids: Map<string, string>, now: string): Uint8Array {
  if (value[0] !== openingBrace) return value;
  const text = Buffer.from(value).toString();
  const replaced = text
    .replaceAll(/"uid":"([0-9a-f-]{36})"/g, (_, uid: string) => {
      const id = ids.get(uid) ?? randomUUID();
      ids.set(uid, id);
      return `"uid":"${id}"`;
    })
    .replaceAll(/"(creationTimestamp|time)":"[^"]*"/g, (_, name: string) => `"${name}":"${now}"`);
  return Buffer.from(replaced);
}
