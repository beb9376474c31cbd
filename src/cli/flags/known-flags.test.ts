// Every flag of kube-apiserver 1.36, and those of kube-controller-manager whose controllers are in the box.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { serveFlags } from './flags.ts';
import { parseFlags } from './parse-flags.ts';

interface RecordedFlag {
  readonly type: string;
  readonly default: string;
}

const file = new URL('../../../test/golden/flags.json', import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Record<string, RecordedFlag>>>;
const all = Object.entries(recorded).flatMap(([program, flags]) =>
  Object.entries(flags).map(([name, flag]) => [program, name, flag] as const),
);

/** Told by `keelson --help` and `keelson --version`, before any flag is read. */
const ofTheCommand = new Set(['help', 'version']);

/** The reference shows no default for it, and refuses to run without a mode. */
const neverEmpty: Readonly<Record<string, string>> = { 'authorization-mode': 'RBAC' };

/** What the help of the reference shows as nothing. */
const zeros: Readonly<Record<string, string>> = {
  bool: 'false',
  int: '0',
  int32: '0',
  float: '0',
  float32: '0',
  duration: '0s',
  quantity: '0',
  Level: '0',
};

/** Lists are shown in brackets, which are no part of a value. */
const defaultOf = (name: string, { type, default: shown }: RecordedFlag) =>
  shown === '' ? (neverEmpty[name] ?? zeros[type] ?? '') : shown.replace(/^\[(.*)\]$/, '$1');

const emptyByDefault: Readonly<Record<string, string>> = { 'storage-backend': 'etcd3' };

const tested = all.filter(([, name]) => !ofTheCommand.has(name));

describe.each(tested)('%s --%s', (_, name, flag) => {
  const sameName = serveFlags.filter((candidate) => candidate.name === name);

  test('is defined once, and works or gives the reason why it has no effect', () => {
    expect(sameName).toHaveLength(1);
    const reason = sameName[0]?.reason;
    const usual = defaultOf(name, flag);
    // an empty value is as if the flag was not given
    const value = usual === '' && reason !== undefined ? (emptyByDefault[name] ?? 'x') : usual;
    const { idleFlags = [] } = parseFlags(serveFlags, [`--${name}=${value}`]);
    expect(idleFlags).toEqual(reason === undefined ? [] : [{ name, reason }]);
    if (reason !== undefined) expect(sameName[0]?.help).toBe(`Accepted without effect: ${reason}.`);
  });

  if (['duration', 'int', 'int32', 'bool', 'float', 'quantity'].includes(flag.type))
    test('takes only values of its type', () => {
      expect(() => parseFlags(serveFlags, [`--${name}=nonsense`])).toThrow(`--${name}: `);
    });
});

test('flags without effect are named in the order in which they were given, each once', () => {
  const { idleFlags = [] } = parseFlags(serveFlags, ['--watch-cache', '--storage-backend=etcd3', '--watch-cache=true']);
  expect(idleFlags.map(({ name }) => name)).toEqual(['watch-cache', 'storage-backend']);
});

describe('deprecated flags', () => {
  const givenFlags = [
    ['apiserver-count', '2'],
    ['admission-control', 'AlwaysAdmit'],
    ['enable-logs-handler', 'true'],
    ['kubelet-port', '10250'],
    ['kubelet-read-only-port', '10255'],
    ['default-watch-cache-size', '100'],
    ['audit-webhook-batch-initial-backoff', '5s'],
  ] as const;

  test.each(givenFlags)('--%s=%s is accepted, and the log says what to do instead', (name, value) => {
    const { deprecatedFlags = [] } = parseFlags(serveFlags, [`--${name}=${value}`, `--${name}=${value}`]);
    expect(deprecatedFlags.map((flag) => flag.name)).toEqual([name]);
    expect(deprecatedFlags[0]?.deprecated).toMatch(/\w/);
  });

  test('are these, and no others', () => {
    const marked = serveFlags.filter(({ deprecated }) => deprecated !== undefined).map(({ name }) => name);
    expect(new Set(marked)).toEqual(new Set(givenFlags.map(([name]) => name)));
    expect(parseFlags(serveFlags, ['--v=2']).deprecatedFlags).toBeUndefined();
  });
});
