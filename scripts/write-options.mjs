// Writes the list of options into docs/embedding.md, from the interfaces that declare them.
//
//   node scripts/write-options.mjs           writes the page
//   node scripts/write-options.mjs --check   fails where the page is not what would be written

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/embedding.md');
const begin = '<!-- options: written by scripts/write-options.mjs -->';
const end = '<!-- end of options -->';

/** Every interface of the options files, by its name. */
function readInterfaces() {
  const folder = join(root, 'src/config');
  const interfaces = new Map();
  for (const file of readdirSync(folder).filter((name) => /options\.ts$/.test(name))) {
    const text = readFileSync(join(folder, file), 'utf8');
    const { program, comments } = parseSync(file, text);
    for (const { declaration } of program.body)
      if (declaration?.type === 'TSInterfaceDeclaration')
        interfaces.set(declaration.id.name, { declaration, text, comments });
  }
  return interfaces;
}

/** The options of an interface, those it extends first. */
function optionsOf(name, interfaces) {
  const { declaration, text, comments } = interfaces.get(name);
  const inherited = declaration.extends.flatMap(({ expression }) => optionsOf(expression.name, interfaces));
  return [...inherited, ...declaration.body.body.map((member) => optionOf(member, text, comments))];
}

/** Throws for an option without a comment. */
function optionOf(member, text, comments) {
  const { name } = member.key;
  const comment = comments.findLast(({ end }) => end <= member.start);
  const isItsOwn = comment?.value.startsWith('*') && text.slice(comment.end, member.start).trim() === '';
  if (!isItsOwn) throw new Error(`the option ${name} has no comment`);
  const { start, end } = member.typeAnnotation.typeAnnotation;
  return { name, type: shortType(text.slice(start, end)), words: comment.value.replace(/^\s*\* ?/gm, '').trim() };
}

const shortType = (text) => text.replace(/\s+/g, ' ').replace(/readonly /g, '');

const maxLine = 140;

/** Words in lines that are short enough for the docs, indented below the first. */
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= maxLine) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n  ');
}

const itemOf = ({ name, type, words }) => wrapped(`- \`${name}\` (\`${type}\`): ${words}`);

const options = optionsOf('ServerOptions', readInterfaces()).sort((a, b) => (a.name < b.name ? -1 : 1));
const before = readFileSync(page, 'utf8');
const start = before.indexOf(begin) + begin.length;
const after = `${before.slice(0, start)}\n\n${options.map(itemOf).join('\n')}\n\n${before.slice(before.indexOf(end))}`;
if (!process.argv.includes('--check')) writeFileSync(page, after);
else if (before !== after) {
  console.error(
    'docs/embedding.md: the list of options is not what the sources say; run node scripts/write-options.mjs',
  );
  process.exit(1);
}
