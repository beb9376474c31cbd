// Writes what is made of the tables of options (src/config/tables): lists in docs/guides/embedding.md and docs/guides/command-line.md, and for the
// build the interfaces of the declaration files.
//
//   node scripts/write-options.mjs           writes the pages
//   node scripts/write-options.mjs --check   fails where a page is not what would be written

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadSource } from './load-source.mjs';

const root = join(import.meta.dirname, '..');
const end = '<!-- end -->';
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

/** Names of options by their flags, longest flag first. */
function namesByFlag(groups) {
  const flags = groups.flatMap(({ options, memberOf }) =>
    Object.entries(options).map(([name, { flag }]) => [flag, memberOf === undefined ? name : `${memberOf}.${name}`]),
  );
  return flags.filter(([flag]) => flag !== undefined).sort(([a], [b]) => b.length - a.length);
}

/** The help of an option with the names that programs know. */
function wordsFor({ help, note = '', value }, flags) {
  let text = `${help} ${note}`.trim();
  for (const [flag, name] of flags) text = text.replaceAll(new RegExp(`--${flag}(?![\\w-])`, 'g'), `\`${name}\``);
  const usual = value === undefined ? '' : ` Default: \`${JSON.stringify(value)}\`.`;
  return `${text}${usual}`;
}

function optionList({ optionGroups }) {
  const flags = namesByFlag(optionGroups);
  const items = optionGroups.flatMap(({ options, memberOf }) =>
    Object.entries(options).map(([name, { type, ...option }]) => [
      memberOf === undefined ? name : `${memberOf}.${name}`,
      `(\`${type.ts.replaceAll('readonly ', '')}\`): ${wordsFor(option, flags)}`,
    ]),
  );
  const sorted = items.sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, text]) => wrapped(`- \`${name}\` ${text}`)).join('\n');
}

/** Flags by group, as the help has them. */
function flagList({ serveFlags }) {
  const groups = groupsOf(serveFlags);
  const itemOf = ({ name, placeholder, defaultText, help, reason }) => {
    const usual = defaultText === '' || reason !== undefined ? '' : ` Default: \`${defaultText}\`.`;
    return wrapped(`- \`--${name}\` (\`${placeholder}\`): ${help}${usual}`);
  };
  return [...groups].map(([group, flags]) => `### ${group}\n\n${flags.map(itemOf).join('\n')}`).join('\n\n');
}

function groupsOf(flags) {
  const groups = new Map(flags.map(({ group }) => [group, []]));
  for (const flag of flags) groups.get(flag.group).push(flag);
  return groups;
}

/** In the declaration files options are plain interfaces, with the help of each. `types` is the folder of the files. */
export async function declareOptions(types) {
  const { serverOptions, optionGroups } = await loadSource('src/config/server-options.ts');
  const flags = namesByFlag(optionGroups);
  const tableOf = (option) => optionGroups.find(({ memberOf }) => memberOf === option).options;
  const interfaces = [
    ['server-options.d.ts', 'ServerOptions', serverOptions],
    ['tables/audit.d.ts', 'AuditOptions', tableOf('audit')],
    ['tables/audit.d.ts', 'AuditLogOptions', tableOf('audit.log')],
    ['tables/audit.d.ts', 'AuditWebhookOptions', tableOf('audit.webhook')],
  ];
  for (const [file, name, table] of interfaces) {
    const path = join(types, 'config', file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(new RegExp(`(?:export )?interface ${name} extends [^{]*\\{\\s*\\}`), () =>
      interfaceOf(name, table, flags),
    );
    if (before === after) throw new Error(`${path} has no interface ${name} that extends OptionsOf`);
    writeFileSync(path, `${importsOf(table)}${after}`);
  }
}

function interfaceOf(name, table, flags) {
  const members = Object.entries(table).map(([member, option]) => {
    const words = wordsFor(option, flags).replaceAll('*/', '*\\/');
    return `    /** ${words} */\n    readonly ${member}?: ${option.type.ts};\n`;
  });
  return `export interface ${name} {\n${members.join('')}}`;
}

function importsOf(table) {
  const named = Object.values(table).filter(({ type }) => type.from !== undefined);
  const lines = named.map(
    ({ type }) => `import type { ${type.ts.match(/\b[A-Z]\w+/g).at(-1)} } from '${type.from}';\n`,
  );
  return [...new Set(lines)].join('');
}

async function writePages() {
  const tables = await loadSource('src/config/server-options.ts');
  const command = await loadSource('src/cli/flags/flags.ts');
  const pages = {
    'docs/guides/embedding.md': () => optionList(tables),
    'docs/guides/command-line.md': () => flagList(command),
  };
  for (const [page, list] of Object.entries(pages)) {
    const before = readFileSync(join(root, page), 'utf8');
    const begin = '<!-- generated: by scripts/write-options.mjs -->';
    const start = before.indexOf(begin) + begin.length;
    const after = `${before.slice(0, start)}\n\n${list()}\n\n${before.slice(before.indexOf(end, start))}`;
    if (!process.argv.includes('--check')) writeFileSync(join(root, page), after);
    else if (before !== after) {
      console.error(`${page}: the list is not that of the tables; run node scripts/write-options.mjs`);
      process.exitCode = 1;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writePages();
