// Prints what the structure of the sources costs a reader: generator functions, files that mention cooperative work, lines.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(src, file), 'utf8'));

const generator =
  /\bfunction\* ?\w*\(|\bfunction\*<|^\s+(?:static |async |private |override )*\*(?:\w+|#\w+|\[Symbol\.iterator\])[(<]/gm;
const cooperation =
  /\b(?:pace|Steps|inTurns|YieldTimer|yieldTimer\w*|InTurns|nextTurn|yieldTurn|turnForLarge)\b|\w(?:InTurns|InSteps)\b/;
const glossary = readFileSync(join(import.meta.dirname, '../docs/glossary.md'), 'utf8');
const shared = /^## Sharing one thread$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(glossary)?.[1] ?? '';

const count = (pattern) => files.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
const rows = [
  ['generator functions', count(generator)],
  ['files with a pace, steps or turns', files.filter((text) => cooperation.test(text)).length],
  ['lines of src without tests', files.reduce((sum, text) => sum + text.split('\n').length - 1, 0)],
  ['words of the glossary for sharing a thread', (shared.match(/^- \*\*/gm) ?? []).length],
];
for (const [what, value] of rows) console.log(`${String(value).padStart(8)}  ${what}`);
