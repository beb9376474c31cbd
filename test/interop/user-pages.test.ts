// The pages for users: every code block is run, in order, as a reader would.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { eventually } from '../integration/eventually.ts';
import { blocksOf, consoleSteps, lineAsPattern, type PageBlock } from './page-blocks.ts';
import { PageShell } from './page-shell.ts';
import { describeWith, etcd, kubectl } from './peers.ts';

const root = join(import.meta.dirname, '../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
/** Pages, and a server that a page supposes: that of `npm start`, which is not run here as it takes a fixed port. */
const pages = [
  { page: 'README.md', server: 'keelson serve --simulate=workloads,nodes' },
  { page: 'docs/guides/quick-start.md' },
  { page: 'docs/guides/embedding.md' },
  { page: 'docs/guides/operating.md' },
  { page: 'docs/guides/audit.md' },
  { page: 'docs/guides/client.md', server: 'keelson serve' },
  { page: 'docs/guides/certificates.md', server: 'keelson serve' },
  { page: 'docs/guides/logging.md', server: 'keelson serve' },
  { page: 'docs/guides/server-certificates.md', server: 'keelson serve' },
  { page: 'docs/guides/testing-in-any-language.md' },
];
const needed = kubectl.path === undefined ? kubectl : etcd;

describeWith(needed, 'pages for users', () => {
  test.each(pages)('$page does what it says', async ({ page, server }) => {
    await using shell = new PageShell(await freePort());
    if (server !== undefined) {
      await shell.startServer(server);
      await shell.run('export KUBECONFIG=$PWD/keelson-data/kubeconfig');
    }
    const blocks = blocksOf(readFileSync(join(root, page), 'utf8'));
    expect(blocks).not.toEqual([]);
    const going: Promise<void>[] = [];
    for (const block of blocks) await runBlock(shell, block, going);
    await Promise.all(going);
  });
});

async function runBlock(shell: PageShell, { language, words, text }: PageBlock, going: Promise<void>[]): Promise<void> {
  const isBackground = words.includes('background');
  if (language === 'sh') return isBackground ? shell.startServer(text) : succeed(shell, text);
  if (language === 'console') return isBackground ? follow(shell, text, going) : converse(shell, text);
  const [file] = words;
  if (file === undefined) throw new Error(`a block of ${language} has no file name: ${text}`);
  shell.write(file, text);
  if (language === 'ts') await runTypeScript(shell, file, text);
}

async function succeed(shell: PageShell, script: string): Promise<void> {
  expect(await shell.run(`set -e\n${script}\nset +e`), script).toMatchObject({ code: 0 });
}

async function converse(shell: PageShell, text: string): Promise<void> {
  for (const { command, expected } of consoleSteps(text)) {
    const { output } = await shell.run(command);
    expectLines(output, expected, command);
  }
}

/** A command that goes on printing: it has printed the lines when the page ends. */
async function follow(shell: PageShell, text: string, going: Promise<void>[]): Promise<void> {
  for (const { command, expected } of consoleSteps(text)) {
    const printed = await shell.start(command);
    await eventually(async () => expect(printed()).not.toBe(''));
    going.push(eventually(async () => expectLines(printed(), expected, command)));
  }
}

function expectLines(output: string, expected: readonly string[], command: string): void {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  for (const [at, line] of expected.entries()) {
    if (line.trim() === '…') return;
    expect(lines[at]?.trim(), `${command}\n${output}`).toMatch(lineAsPattern(line));
  }
}

async function runTypeScript(shell: PageShell, file: string, text: string): Promise<void> {
  const name = file.replace(/\.ts$/, '');
  shell.write(`${name}.mts`, text);
  await succeed(shell, `node ${compiler} --noCheck --target es2022 --module nodenext ${name}.mts && node ${name}.mjs`);
}
