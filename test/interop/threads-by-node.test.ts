// Releases of Node differ in how threads share a port: the command passes its socket on, programs that embed the server bind
// the port again. Each release that is at hand runs both.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const program = join(import.meta.dirname, 'serve-with-threads.mjs');

/** The major version and where the binary is; undefined where it is not at hand. */
const releases: readonly (readonly [string, string | undefined])[] = [
  [process.versions.node, process.execPath],
  ['22', atHand(process.env['KEELSON_NODE22'])],
  ['24', atHand(process.env['KEELSON_NODE24'])],
];

function atHand(path = ''): string | undefined {
  return existsSync(path) ? path : undefined;
}

const canRebind = (version: string) => Number.parseInt(version, 10) >= 22 && process.platform === 'linux';

async function serve(node: string, how: 'embedded' | 'command'): Promise<unknown> {
  const { stdout } = await promisify(execFile)(node, [program, how], { timeout: 120_000 });
  return JSON.parse(stdout);
}

describe.each(releases)('Node %s', (version, node) => {
  const name = (title: string) => (node === undefined ? `${title} (not at hand: KEELSON_NODE${version})` : title);

  test.skipIf(node === undefined)(name('two threads of the command serve one port'), async () => {
    expect(await serve(node as string, 'command')).toEqual({ threads: [0, 1], missed: [], warnings: [] });
  });

  test.skipIf(node === undefined)(name('two threads of an embedded server serve one port where Node can'), async () => {
    const result = await serve(node as string, 'embedded');
    const warning = 'one thread serves: threads share a port on Linux with Node 22.12 and later only';
    expect(result).toEqual({
      threads: canRebind(version) ? [0, 1] : [0],
      missed: [],
      warnings: canRebind(version) ? [] : [warning],
    });
  });
});
