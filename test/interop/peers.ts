// The real clients on this machine, and what happens to tests whose client is missing.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, test } from 'vitest';
import { release } from '../../src/meta/release.ts';

export interface Peer {
  readonly name: string;
  /** The program to run; undefined when the machine has none. */
  readonly path: string | undefined;
  /** How to get it, for the title of skipped tests. */
  readonly hint: string;
  /** Whether an automated run must have it. */
  readonly required: boolean;
}

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keelson-peers');

/** Outputs are compared word by word, and kubectl words them again with every release. */
const wordedMinor = release.minor;

/** The kubectl whose words tests compare: that of the release whose API is served. */
export const kubectl: Peer = kubectlOf(chosen('KEELSON_KUBECTL') ?? found('kubectl') ?? cached('root/usr/bin/kubectl'));

/** Whatever the machine calls kubectl, of any release. */
export const anyKubectl: Peer = {
  name: 'kubectl',
  path: [found('kubectl'), chosen('KEELSON_KUBECTL'), cached('root/usr/bin/kubectl')].find(isKubectl),
  hint: 'put one on the PATH',
  required: true,
};

export const oldKubectl: Peer = {
  name: 'kubectl 1.20',
  path: chosen('KEELSON_OLD_KUBECTL') ?? cached('old/usr/bin/kubectl'),
  hint: 'set KEELSON_OLD_KUBECTL',
  required: false,
};

export const etcd: Peer = {
  name: 'etcd',
  path: chosen('KEELSON_ETCD') ?? cached('root/usr/bin/etcd'),
  hint: 'set KEELSON_ETCD',
  required: true,
};

export const pythonClient: Peer = {
  name: 'python3 with the kubernetes module',
  // Debian's package serves the system's own python3, which need not be the first one on the PATH
  path: chosen('KEELSON_PYTHON') ?? ['python3', '/usr/bin/python3'].find(hasKubernetesModule),
  hint: 'install python3-kubernetes or set KEELSON_PYTHON',
  required: false,
};

/** A test runner of users, not of this project: it is no dependency. */
export const jest: Peer = {
  name: 'jest',
  path: chosen('KEELSON_JEST') ?? found('jest') ?? cached('jest/node_modules/.bin/jest'),
  hint: 'set KEELSON_JEST',
  required: true,
};

/** The last compiler that knows `moduleResolution: node10`, which projects of users still have. */
export const olderCompiler: Peer = {
  name: 'TypeScript 6',
  path: chosen('KEELSON_TYPESCRIPT6') ?? cached('typescript6/node_modules/.bin/tsc'),
  hint: 'set KEELSON_TYPESCRIPT6',
  required: true,
};

/** The browser in which the console is tested. */
export const chromium: Peer = {
  name: 'chromium',
  path: chosen('KEELSON_CHROMIUM') ?? found('chromium') ?? found('chromium-browser'),
  hint: 'install chromium or set KEELSON_CHROMIUM',
  required: true,
};

export const [zsh, fish] = ['zsh', 'fish'].map(
  (name): Peer => ({ name, path: found(name), hint: 'put one on the PATH', required: true }),
) as [Peer, Peer];

type SuiteRunner = (title: string, body: () => void) => void;

/** `describe` for independent tests that need a peer: without it they are skipped, or fail where an automated run requires it. */
export function describeWith(
  peer: Peer,
  title: string,
  body: () => void,
  run: SuiteRunner = describe.concurrent,
): void {
  if (peer.path !== undefined) {
    run(title, body);
  } else if (peer.required && process.env['CI'] === 'true') {
    test(`${title}: ${peer.name} is there`, () => {
      throw new Error(`${peer.name} was not found: ${peer.hint}`);
    });
  } else {
    describe.skip(`${title} (skipped, no ${peer.name}: ${peer.hint})`, body);
  }
}

/** The program of a peer, inside tests that only run when it is there. */
export function programOf(peer: Peer): string {
  if (peer.path === undefined) throw new Error(`${peer.name} was not found: ${peer.hint}`);
  return peer.path;
}

/** Who names a program wants that one: a wrong path is an error, not a reason to skip. */
function chosen(variable: string): string | undefined {
  const path = process.env[variable];
  if (!path) return undefined;
  if (!existsSync(path)) throw new Error(`${variable}: there is no ${path}`);
  return path;
}

function cached(path: string): string | undefined {
  const full = join(cache, path);
  return existsSync(full) ? full : undefined;
}

function kubectlOf(first: string | undefined): Peer {
  const name = `kubectl 1.${wordedMinor}`;
  const candidates = [first, cached('root/usr/bin/kubectl')].filter((path) => path !== undefined);
  const path = candidates.find((candidate) => minorOf(candidate) === wordedMinor);
  const other = path === undefined && first !== undefined ? `, the one here is 1.${minorOf(first) ?? '?'}` : '';
  return { name, path, hint: `set KEELSON_KUBECTL${other}`, required: true };
}

/** The release of a kubectl; undefined when it does not say. */
export function minorOf(program: string): number | undefined {
  const output = outputOf(program, ['version', '--client', '-o', 'json']);
  if (output === undefined) return undefined;
  const { clientVersion } = JSON.parse(output) as { clientVersion: { major: string; minor: string } };
  return clientVersion.major === '1' ? Number.parseInt(clientVersion.minor, 10) : undefined;
}

function isKubectl(path: string | undefined): boolean {
  return path !== undefined && minorOf(path) !== undefined;
}

/** A program on the PATH. */
function found(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

function hasKubernetesModule(python: string): boolean {
  return outputOf(python, ['-c', 'import kubernetes']) !== undefined;
}

/** What a program prints; undefined when it is missing or fails. */
function outputOf(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
