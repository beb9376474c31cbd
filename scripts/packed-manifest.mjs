// The package.json of the packed package has no scripts: they are for checkouts, and npm would warn those who install it.
// `strip` before packing, `restore` after it.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest = fileURLToPath(new URL('../package.json', import.meta.url));
const kept = `${manifest}.unpacked`;

/** Also where packing was interrupted before. */
function restore() {
  if (existsSync(kept)) renameSync(kept, manifest);
}

function strip() {
  restore();
  const text = readFileSync(manifest, 'utf8');
  const { scripts: _, devDependencies: __, ...packed } = JSON.parse(text);
  writeFileSync(kept, text);
  writeFileSync(manifest, `${JSON.stringify(packed, undefined, 2)}\n`);
}

const usage = 'usage: node scripts/packed-manifest.mjs strip|restore';
const args = process.argv.slice(2);
if (args.includes('--help')) console.log(usage);
else if (args[0] === 'strip') strip();
else if (args[0] === 'restore') restore();
else throw new Error(usage);
