#!/usr/bin/env node
// The `keelson` command. In a checkout it builds first when the sources are newer than the build.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../src', import.meta.url))) {
  const { buildIfStale } = await import('../scripts/build.mjs');
  await buildIfStale();
}
const { main } = await import('../dist/cli.js');
process.exitCode = await main(process.argv.slice(2));
