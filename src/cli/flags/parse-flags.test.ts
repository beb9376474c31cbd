import { describe, expect, test } from 'vitest';
import { helpText, serveHelp } from '../help.ts';
import { UsageError } from '../usage-error.ts';
import { serveFlags } from './flags.ts';
import { parseFlags, takeWarnings } from './parse-flags.ts';

const parse = (...args: string[]) => parseFlags(serveFlags, args);

function refusal(...args: string[]): string {
  try {
    parse(...args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`${args.join(' ')} was not refused`);
}

describe('flags', () => {
  test('need not be given', () => {
    expect(parse()).toEqual({ store: 'embedded', dataDir: 'keelson-data', securePort: 6443 });
  });

  test.each([
    [['--secure-port=8443'], { securePort: 8443 }],
    [['--secure-port', '8443'], { securePort: 8443 }],
    [['-secure-port=8443'], { securePort: 8443 }],
    [['--secure-port=0'], { securePort: 0 }],
    [['--data-dir=/tmp/a=b'], { dataDir: '/tmp/a=b' }],
    [['--data-dir', '--odd'], { dataDir: '--odd' }],
    [['--store=memory'], { store: 'memory' }],
    [['--etcd-servers=http://a:1,http://b:2'], { store: 'etcd', etcdServers: ['http://a:1', 'http://b:2'] }],
    [['--history=10m'], { historySeconds: 600 }],
    [['--event-ttl=30m'], { eventTtlSeconds: 1800 }],
    [['--etcd-compaction-interval=0'], { etcdCompactionSeconds: 0 }],
    [
      ['--etcd-username=a', '--etcd-password-file=b', '--etcd-cafile=c'],
      { etcdUsername: 'a', etcdPasswordFile: 'b', etcdCaFile: 'c' },
    ],
    [['--requestheader-allowed-names='], { requestheaderAllowedNames: [] }],
    [['--requestheader-allowed-names=a,b'], { requestheaderAllowedNames: ['a', 'b'] }],
    [['--bind-address=::'], { bindAddress: '::' }],
    [['--tls-cert-file=a', '--tls-private-key-file=b'], { tlsCertFile: 'a', tlsPrivateKeyFile: 'b' }],
    [['--request-timeout=1m30s'], { requestTimeoutSeconds: 90 }],
    [['--min-request-timeout=60'], { minRequestTimeoutSeconds: 60 }],
    [['--shutdown-grace-period=500ms'], { shutdownGraceSeconds: 0.5 }],
    [['--shutdown-delay-duration=20s', '--livez-grace-period=1m'], { shutdownDelaySeconds: 20, livezGraceSeconds: 60 }],
    [['--emulated-version=kube=1.35'], { emulatedVersion: ['kube=1.35'] }],
    [['--min-compatibility-version', '1.34'], { minCompatibilityVersion: ['1.34'] }],
    [['--show-hidden-metrics-for-version=1.35'], { showHiddenMetricsForVersion: '1.35' }],
    [['--dialect=cluster'], { dialect: 'cluster' }],
    [
      ['--api-domain=a', '--label-domain=b', '--system-namespace=c', '--public-namespace=d'],
      { dialectNames: { apiDomain: 'a', labelDomain: 'b', systemNamespace: 'c', publicNamespace: 'd' } },
    ],
    [['-v=4'], { verbosity: 4 }],
    [['--v', '2'], { verbosity: 2 }],
    [['--secure-port=1', '--secure-port=2'], { securePort: 2 }],
  ])('%j', (args, expected) => {
    expect(parse(...args)).toMatchObject(expected);
  });

  test('keep line breaks in their values', () => {
    expect(parse('--data-dir=a\nb')).toMatchObject({ dataDir: 'a\nb' });
  });
});

describe('what cannot be used is named', () => {
  test.each([
    [['--secure-port=http'], '--secure-port: "http" is not a whole number from 0 to 65535'],
    [['--secure-port', '65536'], '--secure-port: "65536" is not a whole number from 0 to 65535'],
    [['--secure-port='], '--secure-port: "" is not a whole number from 0 to 65535'],
    [['--store=etcd3'], '--store: "etcd3" is not one of embedded, memory, etcd; did you mean etcd?'],
    [['--history=forever'], '--history: "forever" is not a duration such as 90s or 1h30m'],
    [['--data-dir='], '--data-dir: must not be empty'],
    [['--min-request-timeout=0'], '--min-request-timeout: "0" is not a whole number from 1 to 86400'],
    [['--dialect=k8s'], '--dialect: "k8s" is not one of kubernetes, cluster'],
    [['-v=11'], '--v: "11" is not a whole number from 0 to 10'],
    [['--secure-port'], '--secure-port needs a value'],
    [['--store=memory', '--history'], '--history needs a value'],
    [['extra'], 'unexpected argument "extra"'],
    [['--store=memory', 'extra'], 'unexpected argument "extra"'],
    [[''], 'unexpected argument ""'],
  ])('%j', (args, expected) => {
    expect(refusal(...args)).toBe(expected);
  });

  test.each([
    ['--secure-prt=1', 'unknown flag --secure-prt; did you mean --secure-port?'],
    ['--port=1', 'unknown flag --port; did you mean --secure-port?'],
    ['--data=x', 'unknown flag --data; did you mean --data-dir?'],
    ['--tls-cert=x', 'unknown flag --tls-cert; did you mean --tls-cert-file?'],
    ['--xyzzy', 'unknown flag --xyzzy; see keelson --help'],
    ['--__proto__=x', 'unknown flag --__proto__; see keelson --help'],
  ])('%s', (arg, expected) => {
    expect(refusal(arg)).toBe(expected);
  });

  test.each([['--'], ['-'], ['--=x']])('%s is no flag', (arg) => {
    expect(refusal(arg)).toMatch(/^(unexpected argument|unknown flag)/);
  });

  // the first flag that shares four letters is suggested, however different the rest is
  test('the nearest name is suggested, not the first', () => {
    expect(refusal('--tls-private-key=x')).toBe('unknown flag --tls-private-key; did you mean --tls-private-key-file?');
  });
});

describe('the table of flags', () => {
  test('has no name twice', () => {
    const names = serveFlags.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(serveFlags.map((flag) => [flag.name, flag] as const))(
    '--%s accepts what its help calls the default',
    (_, flag) => {
      if (flag.defaultText !== '') expect(() => flag.set({}, flag.defaultText)).not.toThrow();
    },
  );
});

describe('the help', () => {
  const commands = [
    { name: 'serve', help: 'Runs the server.' },
    { name: 'version', help: 'Prints the version.' },
  ];
  const help = helpText(commands, serveFlags);
  const lines = serveHelp(serveFlags, []).split('\n');

  test.each(serveFlags.map((flag) => [flag.name, flag] as const))('lists --%s once', (name, flag) => {
    const matchingLines = lines.filter((line) => line.replace(/^ {2}-\w, /, '  ').startsWith(`  --${name} `));
    expect(matchingLines).toHaveLength(1);
    expect(matchingLines[0]).toContain(flag.help);
    expect(matchingLines[0]).toContain(flag.placeholder);
    if (flag.defaultText !== '') expect(matchingLines[0]).toContain(`(default ${flag.defaultText})`);
  });

  test('lists each command once, and each group of flags once', () => {
    for (const { name, help: about } of commands) expect(help.split(`  ${name}`.padEnd(11) + about)).toHaveLength(2);
    for (const group of new Set(serveFlags.map((flag) => flag.group))) {
      expect(lines.filter((line) => line === `${group} flags of serve:`)).toHaveLength(1);
    }
  });

  test('lines up what it says', () => {
    const columns = lines.filter((line) => line.startsWith('  --')).map((line) => line.search(/ [A-Z]/));
    expect(Math.max(...columns) - Math.min(...columns)).toBeLessThan(10);
  });

  test('ends in a line break', () => {
    expect(help.endsWith('\n')).toBe(true);
    expect(lines.at(-1)).toBe('');
  });
});

test('--runtime-config takes names with and without a value, several at once and one after the other', () => {
  const flags = ['--runtime-config=batch/v1=false,apps/v1beta1,apps/v1/deployments=true', '--runtime-config=api/beta'];
  expect(parseFlags(serveFlags, flags).runtimeConfig).toEqual({
    ...{ 'batch/v1': false, 'apps/v1beta1': true, 'apps/v1/deployments': true, 'api/beta': true },
  });
});

test('what is to be told of flags is no option of a server', () => {
  const options = parseFlags(serveFlags, ['--watch-cache', '--apiserver-count=2']);
  expect(takeWarnings(options)).toEqual([
    expect.stringMatching(/^--watch-cache has no effect here: /),
    expect.stringMatching(/^--apiserver-count is deprecated: /),
  ]);
  expect(Object.keys(options)).not.toEqual(expect.arrayContaining(['idleFlags', 'deprecatedFlags']));
  expect(takeWarnings(options)).toEqual([]);
});
