// `keelson test-server`: a server for the tests of a program in any language, which ends with the program.

import { randomBytes } from 'node:crypto';
import { fstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { given as eachTime, integer, text } from '../../config/value-types.ts';
import { AdminPath, adminPath } from '../../testing/admin-path.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { createLog } from '../log.ts';
import { UsageError } from '../usage-error.ts';
import { parseOptionsAfterDashes } from './serve-options.ts';

const flags = {
  manifests: {
    name: 'manifests',
    short: 'f',
    type: eachTime(text),
    help: 'A file or a folder of manifests that are there from the start; once or several times.',
  },
  port: { name: 'port', type: integer(0, 65535), help: 'Port to listen on; 0, the default, picks a free one.' },
};

export const testServerGuide: Guide = {
  usage: '[-f PATH]... [--port PORT] [-- FLAGS OF SERVE]',
  notes: [
    'Runs a server in memory and prints one line of JSON: url, token, ca, kubeconfig, adminPath, console and pid. It ends when',
    'its standard input does, where that is a pipe, when its parent is gone, or by SIGTERM. docs/guides/testing.md has the admin path.',
  ],
  flags,
};

export async function testServer(args: readonly string[]): Promise<number> {
  const split = args.includes('--') ? args.indexOf('--') : args.length;
  const { words, given } = parseCommandLine('test-server', flags, args.slice(0, split));
  if (words.length > 0)
    throw new UsageError(
      `unexpected argument ${JSON.stringify(words[0])}; usage: keelson test-server ${testServerGuide.usage}`,
    );
  // listened for before there is anything to stop
  const end = new EndOfTest();
  const folder = mkdtempSync(join(tmpdir(), 'keelson-test-server-'));
  try {
    const token = randomBytes(24).toString('base64url');
    const server = await open(folder, token, given, args.slice(split + 1));
    process.stdout.write(`${JSON.stringify(describe(server, token))}\n`);
    await end.came;
    await server.close();
  } finally {
    end.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

interface Given {
  readonly manifests?: readonly string[];
  readonly port?: number;
}

/** The user of the token; its uid distinguishes it from a user that a test defines. */
const administrator = 'keelson-test';

async function open(folder: string, token: string, given: Given, more: readonly string[]): Promise<TestServer> {
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},${administrator},${administrator},"system:masters"\n`, { mode: 0o600 });
  const { options: all, loggingFormat, warnings } = parseOptionsAfterDashes(more);
  const { dataDir: _, store: __, securePort: ___, ...options } = all;
  const { manifests = [], port: securePort = 0 } = given;
  const log = createLog(process.stderr, loggingFormat);
  for (const warning of warnings) log.warn({}, warning);
  const own = { tokenAuthFile: tokens, log, securePort, manifests, settle: true };
  return openTestServer({ verbosity: 0, enableUi: true, ...options, ...own }, { admin: new AdminPath(token) });
}

function describe(server: TestServer, token: string): object {
  const [, ca = ''] = /certificate-authority-data: (\S+)/.exec(server.kubeconfig) ?? [];
  return {
    url: server.url,
    token,
    ca: Buffer.from(ca, 'base64').toString(),
    kubeconfig: server.kubeconfigFile,
    adminPath,
    console: server.signInLink(),
    pid: process.pid,
  };
}

const lookMs = 250;

/** The first of: a signal, the end of standard input, the end of the parent. */
class EndOfTest {
  readonly came: Promise<void>;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    const { ppid } = process;
    let end: () => void = () => {};
    this.came = new Promise((resolve) => {
      end = resolve;
    });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, end);
    // a process whose parent has exited gets another parent
    this.#timer = setInterval(() => process.ppid !== ppid && end(), lookMs);
    if (isPipe()) process.stdin.on('end', end).on('close', end).on('error', end).resume();
  }

  /** Nothing of it keeps the process alive. */
  close(): void {
    clearInterval(this.#timer);
    if (isPipe()) process.stdin.destroy();
  }
}

/** Only a pipe ends with the program at its other end: a terminal or /dev/null does not. */
function isPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
