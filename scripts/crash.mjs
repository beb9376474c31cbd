// Runs the crash test for as long as you like: `npm run test:crash -- --duration 10m --store embedded`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { isStale } from './stale.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { duration: { type: 'string', default: '5m' }, store: { type: 'string', default: 'embedded,etcd' } },
});
const [, amount, unit] = /^(\d+)(s|m|h)$/.exec(values.duration) ?? [];
if (amount === undefined) throw new Error('--duration: give a time such as 30s, 10m or 2h');
const seconds = Number(amount) * { s: 1, m: 60, h: 3600 }[unit];

if (isStale(root)) await build();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', 'test/integration/crash.test.ts', '-t', 'again and again'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, KEELSON_CRASH_SECONDS: String(seconds), KEELSON_CRASH_STORES: values.store },
  },
);
process.exitCode = status ?? 1;
