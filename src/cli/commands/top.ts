// `keelson top`: requests, users, watches, threads, store and flow control of a running server, every few seconds.

import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../client/connect.ts';
import { number, yesOrNo } from '../../config/value-types.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { serverFlags, withChosenServer } from '../own-server.ts';
import { pictureOf, pictureText } from '../top-picture.ts';
import { takeSample } from '../top-sample.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  ...serverFlags,
  interval: { name: 'interval', type: number, help: 'Seconds between two pictures, 0.1 to 60 (default 2).' },
  once: { name: 'once', type: yesOrNo, help: 'Prints one picture.' },
  json: { name: 'json', type: yesOrNo, help: 'Prints each picture as a line of JSON.' },
};

export const topGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Shows what a running server does: requests by verb and user, the slowest ones, watches, threads, the store and flow control.',
    'Users and slow requests are read at /debug/keelson/requests. Ctrl-C ends it.',
  ],
  flags,
};

const usualSeconds = 2;
/** Moves to the corner and clears the screen. */
const clear = '\u001b[H\u001b[2J';

type Given = ReturnType<typeof parseCommandLine<typeof flags>>['given'];

export async function top(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('top', flags, args);
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  const { interval = usualSeconds } = given;
  if (interval < 0.1 || interval > 60) throw new UsageError('--interval: 0.1 to 60 seconds are expected');
  await withChosenServer(given, (connection) => show(connection, given, interval));
  return 0;
}

async function show(connection: Connection, { once = false, json = false }: Given, interval: number): Promise<void> {
  // the first read begins the recording of requests
  let before = await takeSample(connection, 0);
  do {
    await pause(interval * 1000);
    const now = await takeSample(connection, before.recorded?.last ?? 0);
    const picture = pictureOf(connection.url, before, now);
    const screen = process.stdout.isTTY && !once ? clear : '';
    process.stdout.write(json ? `${JSON.stringify(picture)}\n` : `${screen}${pictureText(picture)}`);
    before = now;
  } while (!once);
}
