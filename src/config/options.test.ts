import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OptionError, resolveOptions, type ServerOptions } from './options.ts';

const etcd = (more: ServerOptions): ServerOptions => ({ etcdServers: ['http://127.0.0.1:2379'], ...more });

test('an unknown gate is refused by name', () => {
  expect(resolveOptions({}).featureGates).toEqual({
    APIListChunking: true,
    APIServerIdentity: true,
    AllowInsecureKubeletCertificateSigningRequests: false,
    ClusterTrustBundle: false,
    ComponentFlagz: true,
    ComponentStatusz: true,
    ContainerRestartRules: true,
    DRAConsumableCapacity: true,
    DRADeviceBindingConditions: true,
    DRADeviceTaints: true,
    DRAExtendedResource: true,
    DRAPartitionableDevices: true,
    DRAPrioritizedList: true,
    DRAResourceClaimDeviceStatus: true,
    DRAResourceClaimGranularStatusAuthorization: true,
    DRAWorkloadResourceClaims: false,
    DeploymentReplicaSetTerminatingReplicas: true,
    EnvFiles: true,
    GenericWorkload: false,
    HPAConfigurableTolerance: true,
    HostnameOverride: true,
    InPlacePodLevelResourcesVerticalScaling: true,
    ManifestBasedAdmissionControlConfig: false,
    MatchLabelKeysInPodTopologySpread: true,
    MutatingAdmissionPolicy: true,
    NodeDeclaredFeatures: true,
    PodCertificateRequest: false,
    PodLevelResources: true,
    PodLogsQuerySplitStreams: false,
    PodTopologyLabelsAdmission: true,
    ResourceHealthStatus: true,
    ResourceHealthStatusMessage: true,
    ServiceAccountNodeAudienceRestriction: true,
    StorageVersionMigrator: false,
    TopologyAwareWorkloadScheduling: false,
    WorkloadAwarePreemption: false,
    WorkloadWithJob: false,
  });
  expect(resolveOptions({ featureGates: { APIListChunking: false } }).featureGates.APIListChunking).toBe(false);
  expect(() => resolveOptions({ featureGates: { constructor: true } })).toThrow(
    'featureGates: unrecognized feature gate: constructor',
  );
});

describe('options of etcd', () => {
  test('a password comes from a file, without the line break at its end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-options-'));
    const etcdPasswordFile = join(folder, 'password');
    writeFileSync(etcdPasswordFile, 'with space \n');
    const { store } = resolveOptions(etcd({ etcdUsername: 'me', etcdPasswordFile }));
    rmSync(folder, { recursive: true });
    expect(store).toMatchObject({ options: { user: { name: 'me', password: 'with space ' } } });
  });

  test('a password alone, as the environment may hold one for other commands, is no user', () => {
    expect(resolveOptions(etcd({ etcdPassword: 'x' })).store).not.toHaveProperty('options.user');
  });

  test.each([
    [{ etcdUsername: 'me' }, 'etcdUsername: needs a password'],
    [{ etcdPasswordFile: '/dev/null' }, 'etcdPasswordFile: needs etcdUsername as well'],
    [{ etcdUsername: 'me', etcdPasswordFile: '/does/not/exist' }, 'etcdPasswordFile: ENOENT'],
    [{ etcdCompactionSeconds: -1 }, 'etcdCompactionSeconds: -1 is not a positive number'],
  ])('%j is refused', (options, message) => {
    expect(() => resolveOptions(etcd(options))).toThrow(OptionError);
    expect(() => resolveOptions(etcd(options))).toThrow(message);
  });

  test('history is compacted in etcd after its own interval, or not at all', () => {
    expect(resolveOptions(etcd({})).historyMs).toBe(300_000);
    expect(resolveOptions(etcd({ etcdCompactionSeconds: 60 })).historyMs).toBe(60_000);
    expect(resolveOptions(etcd({ etcdCompactionSeconds: 0 })).historyMs).toBeUndefined();
    expect(resolveOptions({ historySeconds: 10, etcdCompactionSeconds: 0 }).historyMs).toBe(10_000);
  });
});

test('events are kept for an hour by default', () => {
  expect(resolveOptions().eventTtlSeconds).toBe(3600);
  expect(() => resolveOptions({ eventTtlSeconds: 0 })).toThrow('eventTtlSeconds: 0 is not a positive number');
});

test.each([
  [{ shutdownDelaySeconds: -1 }, 'shutdownDelaySeconds: -1 is not a number of seconds'],
  [{ livezGraceSeconds: Number.NaN }, 'livezGraceSeconds: NaN is not a number of seconds'],
  [{ showHiddenMetricsForVersion: '1.36' }, "showHiddenMetricsForVersion: must be omitted or have the value '1.35'"],
])('%j is refused', (options, message) => {
  expect(() => resolveOptions(options)).toThrow(OptionError);
  expect(() => resolveOptions(options)).toThrow(message);
});

describe('the releases to behave like', () => {
  const versionsOf = (options: ServerOptions) => {
    const { emulation, minCompatibility } = resolveOptions(options).versions;
    return [emulation, minCompatibility].map(({ major, minor }) => `${major}.${minor}`);
  };

  test.each<[ServerOptions, [string, string]]>([
    [{}, ['1.36', '1.35']],
    [{ emulatedVersion: ['1.34'] }, ['1.34', '1.33']],
    [{ emulatedVersion: ['kube=v1.33.0'] }, ['1.33', '1.33']],
    [{ emulatedVersion: [''] }, ['1.36', '1.35']],
    [{ minCompatibilityVersion: ['1.36'] }, ['1.36', '1.36']],
    [{ emulatedVersion: ['1.35'], minCompatibilityVersion: [' kube = 1.33 '] }, ['1.35', '1.33']],
  ])('%j', (options, expected) => {
    expect(versionsOf(options)).toEqual(expected);
  });

  test.each([
    [{ emulatedVersion: ['1.32'] }, 'emulation version 1.32 is not between [1.33, 1.36.0]'],
    [{ emulatedVersion: ['1.37'] }, 'emulation version 1.37 is not between [1.33, 1.36.0]'],
    [{ minCompatibilityVersion: ['1.37'] }, 'minCompatibilityVersion version 1.37 is not between [1.33, 1.36]'],
    [
      { emulatedVersion: ['1.34'], minCompatibilityVersion: ['1.35'] },
      'minCompatibilityVersion version 1.35 is not between [1.33, 1.34]',
    ],
    [{ emulatedVersion: ['1.34.1'] }, 'patch version not allowed, got: kube=1.34.1'],
    [{ emulatedVersion: ['wardle=1.34'] }, 'component not registered: wardle'],
    [{ minCompatibilityVersion: ['abc'] }, 'could not parse "abc" as version'],
    [{ emulatedVersion: ['1'] }, 'illegal version string "1"'],
    [{ emulatedVersion: ['1.34', 'kube=1.35'] }, 'duplicate version flag, kube=1.34 and kube=1.35'],
  ])('%j is refused', (options, message) => {
    expect(() => resolveOptions(options)).toThrow(OptionError);
    expect(() => resolveOptions(options)).toThrow(message);
  });
});

test('metrics are those of this release, or of the one before', () => {
  expect(resolveOptions().metrics.release).toBe(36);
  expect(resolveOptions({ showHiddenMetricsForVersion: '1.35' }).metrics.release).toBe(35);
});

describe('the front proxy', () => {
  const proxyOf = (options: ServerOptions) => resolveOptions(options).authentication;

  test('is the server itself, by its own certificate and one allowed name, when nothing is given', () => {
    const { frontProxy, requestHeader } = proxyOf({});
    expect(frontProxy).toEqual({ kind: 'own' });
    expect(requestHeader).toMatchObject({
      caFile: undefined,
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['x-remote-user'],
      uidHeaders: ['x-remote-uid'],
      groupHeaders: ['x-remote-group'],
      extraPrefixes: ['x-remote-extra-'],
    });
  });

  test('with a certificate that was given and no CA is trusted by no server', () => {
    const { frontProxy, requestHeader } = proxyOf({ proxyClientCertFile: 'a.crt', proxyClientKeyFile: 'a.key' });
    expect(frontProxy).toEqual({ kind: 'files', files: { certFile: 'a.crt', keyFile: 'a.key' } });
    expect(requestHeader).toBeUndefined();
  });

  test.each([
    [{ proxyClientCertFile: 'a.crt' }, 'proxyClientCertFile: needs proxyClientKeyFile as well'],
    [{ proxyClientKeyFile: 'a.key' }, 'proxyClientKeyFile: needs proxyClientCertFile as well'],
    [{ requestheaderUsernameHeaders: ['X'] }, 'requestheaderUsernameHeaders: needs requestheaderClientCaFile as well'],
  ])('%o is refused', (options, message) => {
    expect(() => proxyOf(options)).toThrow(message);
  });
});

describe('options of a program without types', () => {
  test.each([
    [{ securport: 1 }, 'unknown option securport; did you mean securePort?'],
    [{ port: 1 }, 'unknown option port; did you mean securePort?'],
    [{ featuregates: {} }, 'unknown option featuregates; did you mean featureGates?'],
    [{ zzzzzz: 1 }, 'unknown option zzzzzz'],
    [{ audit: { policyfile: 'x' } }, 'audit: unknown option policyfile; did you mean policyFile?'],
    [{ audit: { log: { pth: 'x' } } }, 'audit.log: unknown option pth; did you mean path?'],
    [{ audit: { webhook: { config: 'x' } } }, 'audit.webhook: unknown option config; did you mean configFile?'],
    [{ securePort: '6443' }, 'securePort: "6443" is not a number'],
    [{ controllers: '*' }, 'controllers: "*" is not a list of texts'],
    [{ featureGates: { A: 'yes' } }, 'featureGates: {"A":"yes"} is not an object of true and false by name'],
    [{ allowPrivileged: null }, 'allowPrivileged: null is not true or false'],
    [{ store: 3 }, 'store: 3 is not a text or an object'],
    [{ log: () => {} }, 'log: a function is not an object'],
  ])('%j is refused', (options, message) => {
    expect(() => resolveOptions(options as ServerOptions)).toThrow(new OptionError(message));
  });

  test('may be undefined', () => {
    expect(resolveOptions({ dataDir: undefined } as unknown as ServerOptions).dataDir).toBeUndefined();
  });
});
