// A server and a kubectl that knows it. Every test works in its own namespace.
//
//   const bench = workbench(kubectl);
//   const { run } = await bench.namespace();
//   expect(await run`create configmap settings`).toEqual(printed('configmap/settings created'));

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { parse } from 'yaml';
import type { Server, ServerOptions } from '../../src/index.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Peer, programOf } from './peers.ts';
import { type Outcome, RunningProgram } from './running-program.ts';
import { TempFolder } from './temp-folder.ts';

/** A command line: what stands in the template is split at spaces, what is filled in is not. */
type Command<T> = (parts: TemplateStringsArray, ...values: readonly string[]) => T;

export interface Workplace {
  readonly namespace: string;
  /** Runs kubectl to its end. */
  readonly run: Command<Promise<Outcome>>;
  /** Starts a kubectl that is stopped at the closing brace. */
  readonly start: Command<RunningProgram>;
  /** Writes a file into the folder kubectl runs in. */
  write(name: string, text: string): void;
}

export interface Workbench {
  readonly server: TestServer;
  namespace(): Promise<Workplace>;
}

/** Opened before the tests of the surrounding `describe` and closed after them; `options` are made when it opens. */
export function workbench(
  peer: Peer,
  options: (folder: TempFolder) => Promise<ServerOptions> = async () => ({}),
): Workbench {
  let opened: { server: TestServer; folder: TempFolder } | undefined;
  let count = 0;
  const get = () => {
    if (opened === undefined) throw new Error('the workbench is open only while tests run');
    return opened;
  };
  beforeAll(async () => {
    const folder = new TempFolder();
    opened = { folder, server: await startTestServer(await options(folder)) };
  });
  afterAll(async () => {
    await opened?.server.close();
    opened?.folder[Symbol.dispose]();
  });
  return {
    get server() {
      return get().server;
    },
    async namespace() {
      const { server, folder } = get();
      const name = `work-${++count}`;
      await createNamespace(server, name);
      mkdirSync(join(folder.path, name));
      folder.write(join(name, 'kubeconfig'), kubeconfigIn(server, name));
      return workplace(programOf(peer), folder, name);
    },
  };
}

async function createNamespace(server: Server, name: string): Promise<void> {
  const answer = await server.fetch('/api/v1/namespaces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** The server's kubeconfig with another current namespace; JSON is YAML too. */
function kubeconfigIn(server: Server, namespace: string): string {
  const config = parse(server.kubeconfig) as { contexts: { context: object }[] };
  const contexts = config.contexts.map((one) => ({ ...one, context: { ...one.context, namespace } }));
  return JSON.stringify({ ...config, contexts });
}

function workplace(program: string, folder: TempFolder, namespace: string): Workplace {
  const cwd = join(folder.path, namespace);
  const env = {
    PATH: process.env['PATH'] ?? '',
    // kubectl keeps there what it discovers
    HOME: folder.path,
    TMPDIR: cwd,
    KUBECONFIG: join(cwd, 'kubeconfig'),
    KUBE_EDITOR: editor,
    TERM: 'dumb',
    // sets of applied objects are hidden behind a switch
    KUBECTL_APPLYSET: 'true',
  };
  const start: Workplace['start'] = (parts, ...values) =>
    new RunningProgram(program, toArguments(parts, values), { cwd, env });
  return {
    namespace,
    start,
    run: (parts, ...values) => start(parts, ...values).outcome(),
    write: (name, text) => void folder.write(join(namespace, name), text),
  };
}

/** What `kubectl edit` opens: an editor that turns blue into green. */
const editor = 'sed -i.before s/blue/green/';

function toArguments(parts: readonly string[], values: readonly string[]): string[] {
  const args = [''];
  const extendLast = (text: string) => args.push(`${args.pop() ?? ''}${text}`);
  for (const [index, part] of parts.entries()) {
    const [end = '', ...more] = part.split(/\s+/);
    extendLast(end);
    args.push(...more);
    extendLast(values[index] ?? '');
  }
  return args.filter((arg) => arg !== '');
}
