// The command line, as a process.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:http2';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-cli-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  output(): string;
  errors(): string;
  /** Exit code; signals count as failures. */
  readonly exited: Promise<number | null>;
}

function keelson(...args: string[]): Run {
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder });
  running.push(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => output, errors: () => errors, exited };
}

async function ready(run: Run): Promise<void> {
  while (!run.output().includes('get namespaces')) {
    const [first] = await Promise.race([
      once(run.child.stdout as NodeJS.ReadableStream, 'data'),
      run.exited.then((code) => [code]),
    ]);
    if (typeof first === 'number') throw new Error(`exited with ${first}: ${run.errors()}`);
  }
}

describe('keelson serve', () => {
  test('says where everything is, stays up, and stops cleanly on SIGTERM', async () => {
    const data = join(folder, 'data');
    const run = keelson('--data-dir', data, '--secure-port=0');
    await ready(run);
    expect(run.output()).toMatch(/^Keelson \d+\.\d+\.\d+ is ready\.\n\n {2}address {6}https:\/\/127\.0\.0\.1:\d+\n/);
    expect(run.output()).toContain(`  kubectl --kubeconfig ${data}/kubeconfig get namespaces\n`);
    expect(readFileSync(join(data, 'kubeconfig'), 'utf8')).toContain('certificate-authority-data');
    const second = keelson('--data-dir', data, '--secure-port=0');
    expect(await second.exited).toBe(1);
    expect(second.errors()).toMatch(
      /^keelson: data folder \S+ is in use by another Keelson \(process \d+ on \S+\); .*--data-dir\n$/,
    );
    run.child.kill('SIGTERM');
    expect(await run.exited).toBe(0);
    expect(run.errors()).toBe('');
    expect(readdirSync(join(data, 'store')).filter((name) => name.endsWith('.sock'))).toEqual([]);
  });

  test('stops on SIGINT, and says that nothing is kept', async () => {
    const run = keelson('serve', '--store=memory', '--data-dir', join(folder, 'memory'), '--secure-port', '0');
    await ready(run);
    expect(run.output()).toContain('(objects in memory only)');
    run.child.kill('SIGINT');
    expect(await run.exited).toBe(0);
  });

  test('lets a request finish after the first signal, not after a second one', async () => {
    const data = join(folder, 'twice');
    const run = keelson('--store=memory', '--data-dir', data, '--secure-port=0', '--shutdown-grace-period=10m');
    await ready(run);
    const pki = (file: string) => readFileSync(join(data, 'pki', file));
    const url = /https:\/\/\S+/.exec(run.output())?.[0] as string;
    const session = connect(url, { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') });
    session.on('error', () => {});
    await once(session, 'connect');
    // a create whose body never ends
    session.request({ ':method': 'POST', ':path': '/api/v1/namespaces' }, { endStream: false }).on('error', () => {});
    await new Promise((resolve) => session.ping(resolve));
    run.child.kill('SIGTERM');
    await once(session, 'goaway');
    run.child.kill('SIGTERM');
    expect(await run.exited).toBe(1);
    session.destroy();
  });

  test('names the port that is in use', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as { port: number };
    const run = keelson('--data-dir', join(folder, 'busy'), '--secure-port', `${port}`);
    expect(await run.exited).toBe(1);
    expect(run.errors()).toBe(
      `keelson: port ${port} on 127.0.0.1 is in use; choose another with --secure-port (0 picks a free one)\n`,
    );
    busy.close();
  });
});

describe('one clear line and exit code 2', () => {
  test.each([
    [['--sekure-port=1'], 'keelson: unknown flag --sekure-port'],
    [['--secure-port=99999'], 'keelson: --secure-port: "99999" is not a whole number from 0 to 65535\n'],
    [['--store=floppy'], 'keelson: --store: "floppy" is not one of embedded, memory, etcd\n'],
    [['--data-dir'], 'keelson: --data-dir needs a value\n'],
    [['--history=soon'], 'keelson: --history: "soon" is not a duration such as 90s or 1h30m\n'],
    [['--tls-cert-file=x'], 'keelson: --tls-cert-file: needs --tls-private-key-file as well\n'],
    [['--history=0s'], 'keelson: --history: 0 is not a positive number of seconds\n'],
    [['--vmodule=foo'], 'keelson: --vmodule: "foo" is not an area and its level, such as requests=3; areas are server'],
    [['--label-domain=x'], 'keelson: --label-domain: only the cluster dialect takes names\n'],
    [
      ['--store=memory', '--etcd-servers=http://127.0.0.1:1'],
      'keelson: --etcd-servers: only the etcd store has servers\n',
    ],
    [['dance'], 'keelson: unknown command "dance"; see keelson --help\n'],
    [['serv'], 'keelson: unknown command "serv"; did you mean serve?\n'],
    [['help', 'snapshto'], 'keelson: unknown command "snapshto"; did you mean snapshot?\n'],
    [['help', 'serve', 'storge'], 'keelson: serve has no group of flags "storge"; did you mean storage?\n'],
    [['help', 'serve', 'xyzzy'], 'keelson: serve has no group of flags "xyzzy"; use storage, serving'],
    [['token', '--namespce=x'], 'keelson: token has no flag --namespce; did you mean --namespace?\n'],
    [
      ['certs', 'renw'],
      'keelson: certs: "renw" is not renew, new or rotate-ca start, switch or finish; did you mean renew?\n',
    ],
    [['snapshot', 'svae', 'x'], 'keelson: snapshot needs one of save, restore, status; did you mean save?\n'],
    [['snapshot', 'save', 'x', '--data-dri=y'], 'keelson: snapshot has no flag --data-dri; did you mean --data-dir?\n'],
    [['--store=memry'], 'keelson: --store: "memry" is not one of embedded, memory, etcd; did you mean memory?\n'],
    [['policy', 'tets', 'x'], 'keelson: policy needs one of test; did you mean test?\n'],
    [['status', '--namspace=x'], 'keelson: unknown flag --namspace; did you mean --namespace?\n'],
    [['serve', '-f', 'absent'], 'keelson: absent: there is no such file or folder\n'],
    [['completion', 'bsh'], 'keelson: completion needs one of bash, zsh, fish; did you mean bash?\n'],
    [
      ['convert', '--output-verson=v1'],
      'keelson: convert has no flag --output-verson; did you mean --output-version?\n',
    ],
    [['serve', 'now'], 'keelson: unexpected argument "now"\n'],
  ])('for %j', async (args, message) => {
    const run = keelson(...args);
    expect(await run.exited).toBe(2);
    expect(run.errors().startsWith(message)).toBe(true);
    expect(run.errors().trimEnd().split('\n')).toHaveLength(1);
    expect(run.output()).toBe('');
  });
});

describe('help and version', () => {
  const text = async (...args: string[]) => {
    const run = keelson(...args);
    expect(await run.exited).toBe(0);
    return run.output();
  };

  test.each([['--help'], ['-h'], ['help']])('%s is short: commands, the first flags, where to read on', async (arg) => {
    const help = await text(arg);
    for (const words of ['Usage: keelson', '--data-dir string', '--secure-port int', 'snapshot', 'keelson help serve'])
      expect(help).toContain(words);
    expect(help.split('\n').length).toBeLessThan(40);
  });

  test('help serve lists every group of flags, and one group where it is named', async () => {
    const all = await text('help', 'serve');
    for (const words of ['Usage: keelson', '--data-dir string', '--secure-port int', 'Storage flags', 'Serving flags'])
      expect(all).toContain(words);
    expect(await text('serve', '--help')).toBe(all);
    const storage = await text('help', 'serve', 'storage');
    expect(storage).toMatch(/^Storage flags of serve:\n {2}--data-dir string/);
    expect(storage).not.toContain('Serving flags');
  });

  test.each(['snapshot', 'certs', 'status', 'top', 'kubeconfig', 'token', 'doctor', 'convert', 'completion'])(
    '%s has its own help',
    async (name) => {
      const help = await text('help', name);
      expect(help).toMatch(new RegExp(`^Usage: keelson ${name} `));
      expect(await text(name, '--help')).toBe(help);
    },
  );

  test('version is the package version', async () => {
    const run = keelson('version');
    expect(await run.exited).toBe(0);
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(run.output()).toBe(`keelson ${version}\n`);
  });
});

describe('keelson snapshot', () => {
  const exit = async (...args: string[]) => {
    const run = keelson('snapshot', ...args);
    return { code: await run.exited, output: run.output(), errors: run.errors() };
  };

  test('saves a running server, tells what was saved, and makes a new data folder of it', async () => {
    const [data, other, file] = ['live', 'restored', 'live.snapshot'].map((name) => join(folder, name));
    const server = keelson('--data-dir', data as string, '--secure-port=0');
    await ready(server);
    const saved = await exit('save', file as string, '--data-dir', data as string);
    expect(saved).toMatchObject({ code: 0, errors: '' });
    expect(saved.output).toMatch(
      /^revision {2}\d+\nobjects {3}\d+\nsize {6}\d+ bytes\nformat {4}1\nhash {6}sha256:[0-9a-f]{64}\n$/,
    );
    expect((await exit('status', file as string)).output).toBe(saved.output);
    expect((await exit('restore', file as string, `--data-dir=${data}`)).errors).toMatch(/^keelson: .* is not empty/);
    const restored = await exit('restore', file as string, `--data-dir=${other}`, '--output=json');
    expect(JSON.parse(restored.output)).toMatchObject({
      objects: Number(/objects +(\d+)/.exec(saved.output)?.[1]),
      format: 1,
    });
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const again = keelson('--data-dir', other as string, '--secure-port=0');
    await ready(again);
    again.child.kill('SIGTERM');
    expect(await again.exited).toBe(0);
  });

  test.each([
    [[], 2, 'snapshot needs one of save, restore, status'],
    [['copy', 'x'], 2, 'snapshot needs one of save, restore, status'],
    [['save'], 2, 'snapshot save needs one file'],
    [['status', 'a', 'b'], 2, 'snapshot status needs one file'],
    [['status', 'a', '--data-dir=x'], 2, 'snapshot status has no flag --data-dir'],
    [['save', 'a', '--xyzzy=1'], 2, 'snapshot has no flag --xyzzy; see keelson help snapshot'],
    [['restore', 'a', '--bump-revision=-1'], 2, '--bump-revision: "-1" is not a whole number'],
    [['save', 'a', '--data-dir=nowhere'], 1, 'there is no store in '],
    [['status', 'nowhere'], 1, 'nowhere: there is no such file or folder'],
    [['status', '.'], 1, 'EISDIR'],
    [['restore', 'nowhere', '--data-dir=restored-from-nothing'], 1, 'nowhere: there is no such file or folder'],
  ])('%j is refused with one line', async (args, code, message) => {
    const run = await exit(...args);
    expect(run.code).toBe(code);
    expect(run.errors.startsWith(`keelson: ${message}`)).toBe(true);
    expect(run.errors.trimEnd().split('\n')).toHaveLength(1);
  });

  test('has its own help', async () => {
    expect((await exit('--help')).output).toMatch(/^Usage: keelson snapshot save\|restore\|status <file>/);
  });

  test('overwrites a file only with --force, and leaves nothing where it cannot save', async () => {
    const [data, file] = [join(folder, 'overwritten'), join(folder, 'once.snapshot')];
    const server = keelson('--data-dir', data, '--secure-port=0');
    await ready(server);
    server.child.kill('SIGTERM');
    await server.exited;
    writeFileSync(file, 'precious');
    expect(await exit('save', file, '--data-dir', data)).toEqual({
      code: 2,
      output: '',
      errors: `keelson: ${file} exists; use --force to overwrite it\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect((await exit('save', file, '--force', '--data-dir', data)).code).toBe(0);
    expect((await exit('status', file)).output).toContain('objects');
    const missing = join(folder, 'missing-folder', 'a.snapshot');
    expect(await exit('save', missing, '--data-dir', data)).toEqual({
      code: 1,
      output: '',
      errors: `keelson: ${missing}.partial: there is no such file or folder\n`,
    });
    expect(existsSync(join(folder, 'missing-folder'))).toBe(false);
  });
});

describe('a data folder that cannot be used', () => {
  const file = join(folder, 'file');

  test.each([
    ['/proc/keelson/data', 'no folder can be made there'],
    ['/proc', 'no folder can be made there'],
    [file, 'it is a file'],
    [join(file, 'below'), 'a part of the path is a file'],
  ])('%s is one clear line at once, and nothing is changed', async (path, reason) => {
    writeFileSync(file, '');
    const before = existsSync(path) ? statSync(path).mode : undefined;
    const run = keelson('--data-dir', path, '--secure-port=0');
    expect(await run.exited).toBe(1);
    expect(run.errors()).toBe(
      `keelson: the data folder ${path} cannot be used: ${reason}; choose another with --data-dir\n`,
    );
    if (before !== undefined) expect(statSync(path).mode).toBe(before);
  });
});

describe('keelson convert', () => {
  const exit = async (...args: string[]) => {
    const run = keelson('convert', ...args);
    return { code: await run.exited, output: run.output(), errors: run.errors() };
  };
  const deployment = (name: string) => `apiVersion: apps/v1beta1
kind: Deployment
metadata: { name: ${name}, labels: &labels { app: web } }
spec:
  template: { metadata: { labels: *labels }, spec: { containers: [{ name: web, image: "x:1" }] } }
`;

  test('writes no anchors, and takes the files of a folder', async () => {
    const manifests = join(folder, 'manifests');
    mkdirSync(manifests);
    for (const name of ['a.yaml', 'b.yml']) writeFileSync(join(manifests, name), deployment(name.slice(0, 1)));
    writeFileSync(join(manifests, 'notes.txt'), 'not a manifest');
    const { code, output } = await exit('-f', manifests);
    expect(code).toBe(0);
    expect(output.match(/^apiVersion: apps\/v1$/gm)).toHaveLength(2);
    expect(output).not.toMatch(/[&*]a\d/);
    expect(output.match(/app: web/g)?.length).toBeGreaterThan(4);
  });

  test.each(['kubernetes', 'cluster'])('converts a file to the version of --output-version: %s', async (dialect) => {
    const file = join(folder, `web-${dialect}.yaml`);
    writeFileSync(file, deployment('web'));
    const versionOf = ({ output }: { output: string }) => /^apiVersion: (.*)$/m.exec(output)?.[1];
    expect(versionOf(await exit('-f', file, `--dialect=${dialect}`))).toBe('apps/v1');
    const older = await exit('-f', file, '--output-version', 'apps/v1beta2', `--dialect=${dialect}`);
    expect([older.code, versionOf(older), older.errors]).toEqual([0, 'apps/v1beta2', '']);
    expect(older.output).toContain('name: web');
    const unknown = await exit('-f', file, '--output-version=apps/v9', `--dialect=${dialect}`);
    expect([unknown.code, unknown.output]).toEqual([2, '']);
    expect(unknown.errors).toContain('--output-version: "apps/v9" is not a known API version');
  });

  test('names everything it cannot read, and prints nothing then', async () => {
    const file = join(folder, 'mixed.yaml');
    writeFileSync(
      file,
      `${deployment('good')}---\napiVersion: v9\nkind: Gadget\nmetadata: { name: odd }\n---\nplain text\n`,
    );
    const broken = join(folder, 'broken.yaml');
    writeFileSync(broken, 'a: [1,\n');
    const { code, output, errors } = await exit('-f', file, '-f', broken);
    expect([code, output]).toEqual([1, '']);
    const lines = errors.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(`keelson: ${file}: document 2 (Gadget odd): no kind "Gadget" is known in version "v9"`);
    expect(lines[1]).toBe(`keelson: ${file}: document 3: it is not an object with apiVersion and kind`);
    expect(lines[2]).toContain(`keelson: ${broken}: `);
  });
});

test('convert names files that it cannot use, in plain words', async () => {
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return name;
  };
  mkdirSync(join(folder, 'nothing'));
  const empty = file('empty.yaml', '# nothing\n');
  const binary = file('binary.yaml', Buffer.from([0xff, 0xfe, 0, 1]));
  const paths = ['missing.yaml', empty, binary, 'nothing', join(empty, 'x')];
  const run = keelson('convert', ...paths.flatMap((path) => ['-f', path]));
  expect(await run.exited).toBe(1);
  expect(run.output()).toBe('');
  expect(run.errors().trimEnd().split('\n').sort()).toEqual(
    [
      'keelson: missing.yaml: there is no such file or folder',
      'keelson: empty.yaml: there is no object in it',
      'keelson: binary.yaml: it is not a text in UTF-8',
      'keelson: nothing: there is no .yaml, .yml or .json file in this folder',
      'keelson: empty.yaml/x: a part of the path is a file',
    ].sort(),
  );
});

test('a Node that is too old is named in one line', async () => {
  const preload = join(folder, 'old-node.cjs');
  writeFileSync(preload, "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });\n");
  const child = spawn(process.execPath, ['--require', preload, bin, 'version'], { cwd: folder });
  running.push(child);
  let errors = '';
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const [code] = await once(child, 'close');
  expect([code, errors]).toEqual([1, 'keelson: Node 18.20.4 is too old: 20.19 or newer is needed\n']);
});

describe('keelson completion', () => {
  const script = async (shell: string) => {
    const run = keelson('completion', shell);
    expect(await run.exited).toBe(0);
    return run.output();
  };

  /** What bash would offer after these words. */
  const offered = (bash: string, ...words: string[]) =>
    execFileSync('bash', [
      '-c',
      `${bash}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keelson; echo "\${COMPREPLY[*]}"`,
      '-',
      ...words,
    ])
      .toString()
      .trim()
      .split(' ');

  test('bash completes commands, words and flags', async () => {
    const bash = await script('bash');
    expect(offered(bash, 'keelson', 'sn')).toEqual(['snapshot']);
    expect(offered(bash, 'keelson', 'snapshot', 're')).toEqual(['restore']);
    expect(offered(bash, 'keelson', 'certs', 'rotate-ca', 'sw')).toEqual(['switch']);
    expect(offered(bash, 'keelson', 'serve', '--etcd-pre')).toEqual(['--etcd-prefix']);
    expect(offered(bash, 'keelson', '--secure')).toEqual(['--secure-port']);
  });

  test.each([
    ['zsh', 'snapshot) candidates=(save restore status'],
    ['fish', "-n '__fish_seen_subcommand_from snapshot' -a save"],
  ])('%s gets the same words', async (shell, line) => {
    expect(await script(shell)).toContain(line);
  });

  test('another shell is refused', async () => {
    const run = keelson('completion', 'tcsh');
    expect(await run.exited).toBe(2);
    expect(run.errors()).toBe('keelson: completion needs one of bash, zsh, fish\n');
  });
});
