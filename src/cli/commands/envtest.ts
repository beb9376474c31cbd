// `keelson envtest`: launchers under the names that the test environment of controller-runtime looks for.

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { UsageError } from '../usage-error.ts';

const flags = {};

export const envtestGuide: Guide = {
  usage: 'DIR',
  notes: [
    'Writes kube-apiserver, etcd and kubectl into DIR, which is made where it is missing. With KUBEBUILDER_ASSETS=DIR tests',
    'that use envtest of controller-runtime run against Keelson. Objects are kept for as long as etcd runs.',
    'kubectl is the one on the PATH.',
  ],
  flags,
};

/** What a launcher runs, by its name. */
const programs: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  'kube-apiserver': async (args) => (await import('./envtest-api-server.ts')).runApiServer(args),
  etcd: async (args) => (await import('./envtest-etcd.ts')).runEtcd(args),
};

export async function envtest(args: readonly string[]): Promise<number> {
  const [first, name = '', ...rest] = args;
  if (first === 'run' && Object.hasOwn(programs, name)) return (programs[name] as (typeof programs)[string])(rest);
  const { words } = parseCommandLine('envtest', flags, args);
  const [folder] = words;
  if (folder === undefined || words.length > 1) throw new UsageError('usage: keelson envtest DIR');
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  for (const program of Object.keys(programs)) writeLauncher(join(path, program), launcher(program));
  writeLauncher(join(path, 'kubectl'), kubectl);
  process.stdout.write(`export KUBEBUILDER_ASSETS=${quoted(path)}\n`);
  return 0;
}

/** Takes the place of what has the name: where that is a symbolic link, the file it leads to stays as it is. */
function writeLauncher(path: string, text: string): void {
  const next = `${path}.${randomUUID()}`;
  writeFileSync(next, text, { flag: 'wx' });
  chmodSync(next, 0o755);
  try {
    renameSync(next, path);
  } catch (error) {
    rmSync(next);
    throw error;
  }
}

/** Stop signals reach the program itself: the shell makes way for it. */
function launcher(program: string): string {
  const command = [process.execPath, resolve(process.argv[1] as string), 'envtest', 'run', program];
  return `#!/bin/sh\nexec ${command.map(quoted).join(' ')} "$@"\n`;
}

const quoted = (text: string) => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The first kubectl on the PATH that is not this file. */
const kubectl = `#!/bin/sh
own=$(cd "$(dirname "$0")" && pwd)
IFS=:
for folder in $PATH; do
  if [ "$(cd "$folder" 2>/dev/null && pwd)" != "$own" ] && [ -x "$folder/kubectl" ]; then
    unset IFS
    exec "$folder/kubectl" "$@"
  fi
done
echo 'keelson envtest: there is no kubectl on the PATH' >&2
exit 127
`;
