// Records the answers of a cluster to the scenarios of test/conformance, or compares them (docs/recordings.md).
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
// beside the packages that it imports
const folder = mkdtempSync(join(root, 'node_modules', '.record-'));
try {
  const file = join(folder, 'record.mjs');
  const external = [/^node:/, /^[^./]/];
  const conformance = JSON.stringify(join(root, 'test', 'conformance'));
  await build({
    cwd: root,
    input: 'test/conformance/record.ts',
    platform: 'node',
    external,
    logLevel: 'warn',
    transform: { define: { 'import.meta.dirname': conformance } },
    output: { file, format: 'esm' },
  });
  const { main } = await import(pathToFileURL(file).href);
  process.exitCode = await main(process.argv.slice(2), (text) => console.log(text));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
