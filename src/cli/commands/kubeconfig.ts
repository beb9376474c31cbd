// `keelson kubeconfig`: prints the kubeconfig of a data folder, or adds it to the one that kubectl reads.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Document } from 'yaml';
import { text, yesOrNo } from '../../config/value-types.ts';
import { writeAtomically } from '../../pki/pair-files.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { dataDirFlag, kubeconfigOf } from '../own-server.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  dataDir: dataDirFlag,
  merge: { name: 'merge', type: yesOrNo, help: 'Adds it to the file that kubectl reads, and makes it current.' },
  into: { name: 'into', type: text, help: 'The file to add to (default the first in KUBECONFIG, or ~/.kube/config).' },
  name: { name: 'name', type: text, help: 'Name of the context, cluster and user there (default keelson).' },
};

export const kubeconfigGuide: Guide = {
  usage: '[--merge] [flags]',
  notes: ['Prints the kubeconfig of the server of the data folder, or adds it to yours with --merge.'],
  flags,
};

export async function kubeconfig(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('kubeconfig', flags, args);
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  const file = kubeconfigOf(given.dataDir);
  if (!existsSync(file)) throw new Error(`there is no ${file}: the server writes it when it starts`);
  const own = readFileSync(file, 'utf8');
  if (given.merge !== true) {
    if (given.into !== undefined || given.name !== undefined) throw new UsageError('--into and --name need --merge');
    process.stdout.write(own);
    return 0;
  }
  const into = given.into ?? usualFile(process.env);
  const name = given.name ?? 'keelson';
  await merge(own, into, name);
  process.stdout.write(`context ${name} is in ${into}, and current: kubectl get namespaces\n`);
  return 0;
}

/** The file that kubectl itself would change. */
function usualFile(environment: NodeJS.ProcessEnv): string {
  const [listed] = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return listed ?? join(environment['HOME'] ?? homedir(), '.kube', 'config');
}

/** Everything else in the file stays, its comments as well. A link stays a link. */
async function merge(own: string, into: string, name: string): Promise<void> {
  const { parseDocument } = await import('yaml');
  mkdirSync(dirname(into), { recursive: true, mode: 0o700 });
  const path = existsSync(into) ? realpathSync(into) : into;
  await withLock(path, () => {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const document = parseDocument(before.trim() === '' ? 'apiVersion: v1\nkind: Config\n' : before);
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${into} cannot be read: ${error.message.split('\n')[0]}`);
    addEntries(document, parseDocument(own).toJS() as Parsed, name);
    writeAtomically(path, String(document), 0o600);
  });
}

type Entry = Readonly<Record<string, unknown>>;
type Parsed = Readonly<Record<'clusters' | 'users' | 'contexts', readonly Entry[]>>;

function addEntries(document: Document, own: Parsed, name: string): void {
  setEntry(document, 'clusters', { ...own.clusters[0], name });
  setEntry(document, 'users', { ...own.users[0], name });
  setEntry(document, 'contexts', { name, context: { cluster: name, user: name } });
  document.set('current-context', name);
}

/** In the place of the entry of the same name, or at the end. */
function setEntry(document: Document, list: keyof Parsed, entry: Entry): void {
  const currentList = (document.toJS() as Partial<Parsed>)[list];
  if (!Array.isArray(currentList)) document.set(list, document.createNode([]));
  const at = (currentList ?? []).findIndex(({ name }) => name === entry['name']);
  if (at >= 0) document.setIn([list, at], document.createNode(entry));
  else document.addIn([list], document.createNode(entry));
}

/** The lock that kubectl takes before it writes. */
async function withLock(path: string, work: () => void): Promise<void> {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${lock} exists: another program changes the file, or ended while it did; remove it then`);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}
