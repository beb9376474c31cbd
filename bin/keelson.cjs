#!/usr/bin/env node
// The `keelson` command. In a checkout it builds first when the sources are newer than the build.
// It is CommonJS, and asks for no module: Node's loader of modules takes 10 ms of a start to get going.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

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

run();
