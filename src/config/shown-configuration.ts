// The configuration in effect, as `/configz` shows it: a list of the settings that are not secret. Of credentials it names no
// more than the kind.

import { formatRelease } from '../meta/effective-versions.ts';
import { defaultLimits } from '../transport/http/connection-limits.ts';
import type { ServerConfig } from './options.ts';
import { withoutUserInfo } from './user-info.ts';

/** Settings that change while the server runs, such as levels of the log, have the value of the moment. */
export function shownConfiguration(config: ServerConfig): object {
  const { advertisement, dialect, levels, metrics, runtimeConfig, threads, versions } = config;
  return withHiddenUserInfo({
    dialect: dialect.name,
    emulationVersion: formatRelease(versions.emulation),
    minCompatibilityVersion: formatRelease(versions.minCompatibility),
    featureGates: config.featureGates,
    runtimeConfig,
    advertiseAddress: advertisement.address,
    endpointReconcilerType: advertisement.reconciler,
    apiserverCount: advertisement.apiserverCount,
    serving: serving(config),
    limits: limits(config),
    threads: { atStart: threads.atStart, most: threads.most, largeRequestBytes: threads.largeBytes ?? 0 },
    storage: storage(config),
    authentication: authentication(config),
    authorization: authorization(config),
    admission: admission(config),
    audit: audit(config),
    controllers: controllers(config),
    simulation: { ...config.simulation, programs: Object.keys(config.simulation.programs) },
    services: {
      clusterIpRanges: config.serviceRanges,
      nodePortRange: `${config.serviceNodePorts.from}-${config.serviceNodePorts.to}`,
    },
    logging: { verbosity: levels.settings.verbosity, areas: levels.settings.areas },
    metrics: { disabled: [...metrics.disabled].sort() },
    shutdown: {
      delaySeconds: seconds(config.shutdownDelayMs),
      graceSeconds: seconds(config.shutdownGraceMs),
      watchGraceSeconds: seconds(config.shutdownWatchGraceMs),
    },
    livezGraceSeconds: seconds(config.livezGraceMs),
  }) as object;
}

const seconds = (ms: number): number => ms / 1000;

const serving = ({ bindAddress, securePort, serving: settings, tls, allowPrivileged }: ServerConfig) => ({
  bindAddress,
  securePort,
  externalHostname: settings.externalHostname,
  http2: settings.speaksHttp2 ? settings.http2 : 'none',
  corsAllowedOrigins: settings.corsOrigins,
  goawayChance: settings.goawayChance,
  sendsRetryAfter: settings.sendsRetryAfter,
  deleteCollectionWorkers: settings.deleteCollectionWorkers,
  kubeletPreferredAddressTypes: settings.nodeAddressTypes,
  allowPrivileged,
  tls: {
    certFile: tls.main?.certFile,
    minVersion: tls.minVersion,
    cipherSuites: tls.ciphers,
    curves: tls.curves,
  },
});

const limits = (config: ServerConfig) => ({
  ...config.inFlight,
  requestTimeoutSeconds: seconds(config.requestTimeoutMs),
  minRequestTimeoutSeconds: config.minWatchSeconds,
  connections: { ...defaultLimits, ...config.connections },
});

const storage = ({ store, encryption, historyMs, eventTtlSeconds }: ServerConfig) => ({
  kind: store.kind,
  folder: store.kind === 'embedded' ? store.folder : undefined,
  etcdServers: store.kind === 'etcd' ? store.options.servers : undefined,
  etcdPrefix: store.kind === 'etcd' ? store.options.prefix : undefined,
  encryptionConfigFile: encryption?.file,
  historySeconds: historyMs === undefined ? undefined : seconds(historyMs),
  eventTtlSeconds,
});

const authentication = ({ authentication: settings }: ServerConfig) => ({
  anonymous: settings.anonymous,
  clientCaFile: settings.clientCaFile,
  hasStaticTokens: settings.staticTokens !== undefined,
  hasTokenWebhook: settings.tokenWebhook !== undefined,
  hasRequestHeader: settings.requestHeader !== undefined,
  bootstrapTokens: settings.bootstrapTokens,
  serviceAccountIssuers: settings.issuers,
  apiAudiences: settings.audiences,
  serviceAccountLookup: settings.lookup,
  maxTokenSeconds: settings.maxTokenSeconds,
  extendsPodTokens: settings.extendPodTokens,
});

const authorization = ({ authorization: { authorizers } }: ServerConfig) =>
  authorizers.from === 'file'
    ? { configFile: authorizers.file }
    : { modes: authorizers.settings.map(({ type }) => type) };

const admission = ({ admission: settings }: ServerConfig) => ({
  plugins: [...settings.plugins].sort(),
  configFile: settings.configFile,
  notReadyTolerationSeconds: settings.notReadyTolerationSeconds,
  unreachableTolerationSeconds: settings.unreachableTolerationSeconds,
});

const audit = ({ audit: settings }: ServerConfig) => ({
  policyFile: settings?.policyFile,
  logPath: typeof settings?.log?.file === 'object' ? settings.log.file.path : settings?.log?.file,
  webhookConfigFile: settings?.webhook?.configFile,
});

const controllers = ({ controllers: settings }: ServerConfig) => ({
  selection: settings.selection,
  collectsGarbage: settings.collectsGarbage,
  leaderElection: settings.election !== undefined,
  terminatedPodGcThreshold: settings.maxTerminatedPods,
});

function withHiddenUserInfo(value: unknown): unknown {
  if (typeof value === 'string') return withoutUserInfo(value);
  if (Array.isArray(value)) return value.map(withHiddenUserInfo);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withHiddenUserInfo(member)]));
}
