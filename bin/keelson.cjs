#!/usr/bin/env node
// The `keelson` command. In a checkout it builds first when the sources are newer than the build.
// It is CommonJS, and asks for no module: Node's loader of modules takes 10 ms of a start to get going.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** Older versions of Node would fail somewhere in the middle, in words about syntax or about modules. */
function isTooOld() {
  const { engines } = require('../package.json');
  const needed = engines.node.replace('>=', '').split('.').map(Number);
  const actual = process.versions.node.split('.').map(Number);
  if (actual[0] > needed[0] || (actual[0] === needed[0] && actual[1] >= needed[1])) return false;
  process.stderr.write(`keelson: Node ${process.versions.node} is too old: ${needed.join('.')} or newer is needed\n`);
  process.exitCode = 1;
  return true;
}

async function run() {
  const root = join(__dirname, '..');
  if (existsSync(join(root, 'src')) && require('../scripts/stale.cjs').isStale(root)) {
    const { build } = await import('../scripts/build.mjs');
    await build();
  }
  const args = process.argv.slice(2);
  // said before the bundle is loaded, which reads it
  if (args.some((arg) => /^--?plain-runtime(=true)?$/.test(arg))) process.env.KEELSON_PLAIN_RUNTIME = '1';
  const { main } = require('../dist/cli.cjs');
  process.exitCode = await main(args);
}

if (!isTooOld()) run();
