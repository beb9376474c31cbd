// Options: optional outside, complete inside. Contradictions fail here, with the option's name.

import { join, resolve } from 'node:path';
import { LogLevels, parseAreaLevels, unknownAreas } from '../base/log-levels.ts';
import { type Clock, systemClock } from '../base/time/clock.ts';
import { builtInGroups, knownGroupVersions } from '../groups/catalog.ts';
import { type PortRange, parsePortRange } from '../groups/core/v1/service/node-ports.ts';
import { cluster, type Dialect, kubernetes } from '../meta/dialect.ts';
import type { EffectiveVersions } from '../meta/effective-versions.ts';
import { formatRange, parseIp, parseRange, sizeOfRange } from '../meta/ip.ts';
import type { ReconcilerType } from '../meta/reconciler-type.ts';
import type { InFlightLimits } from '../pipeline/limit.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import type { EtcdOptions } from '../storage/etcd/etcd-store.ts';
import type { Store } from '../storage/store.ts';
import type { NodeTrust } from '../transport/http/backend-socket.ts';
import type { ConnectionLimits } from '../transport/http/connection-limits.ts';
import { type AdmissionConfig, resolveAdmission } from './admission-options.ts';
import { type AggregationConfig, resolveAggregation } from './aggregation-options.ts';
import { type AuditConfig, resolveAudit } from './audit-options.ts';
import { type AuthenticationConfig, resolveAuthentication } from './authentication-options.ts';
import { type AuthorizationConfig, resolveAuthorization } from './authorization-options.ts';
import { resolveConnections } from './connection-options.ts';
import { type ControllerConfig, resolveControllerOptions } from './controller-options.ts';
import {
  type EncryptionConfig,
  resolveEncryption,
  resolveEtcd,
  resolveStoreChecks,
  type StoreChecks,
} from './etcd-options.ts';
import type { ExtensionConfig } from './extension-options.ts';
import {
  type FeatureGates,
  type GateState,
  gateStates,
  gatesIn,
  gateWarnings,
  resolveFeatureGates,
} from './feature-gates.ts';
import { type MetricConfig, resolveMetrics } from './metric-options.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import { checkOptions, completed } from './option-types.ts';
import { type RuntimeConfig, servedPart, unknownSwitches, withCoreNames } from './runtime-config.ts';
import { type ResolvedOptions, type ServerOptions, serverOptions } from './server-options.ts';
import { resolveServing, type ServingConfig } from './serving-options.ts';
import { resolveSigning, type SigningConfig } from './signing-options.ts';
import { resolveSimulation } from './simulation-options.ts';
import { resolveThreads, type ThreadConfig } from './thread-options.ts';
import { resolveTls, type TlsConfig } from './tls-options.ts';
import { resolveVersions } from './version-options.ts';

/** What the server has to say while it runs. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

type StoreConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'embedded'; readonly folder: string }
  | { readonly kind: 'etcd'; readonly options: EtcdOptions }
  | { readonly kind: 'given'; readonly store: Store };

interface AdvertisementConfig {
  /** Undefined: found out by the server. */
  readonly address: string | undefined;
  readonly reconciler: ReconcilerType;
  readonly apiserverCount: number;
}

export interface ServerConfig
  extends Pick<ResolvedOptions, 'bindAddress' | 'securePort' | 'allowPrivileged' | 'eventTtlSeconds'> {
  readonly store: StoreConfig;
  readonly storeChecks: StoreChecks;
  readonly encryption: EncryptionConfig | undefined;
  readonly dataDir: string | undefined;
  readonly advertisement: AdvertisementConfig;
  /** The server has these kinds instead of the built-in ones, behind another API server. */
  readonly extension?: ExtensionConfig;
  readonly tls: TlsConfig;
  readonly signing: SigningConfig;
  readonly threads: ThreadConfig;
  readonly connections: Partial<ConnectionLimits>;
  readonly serving: ServingConfig;
  readonly metrics: MetricConfig;
  readonly nodeTrust: NodeTrust;
  readonly dialect: Dialect;
  readonly runtimeConfig: RuntimeConfig;
  readonly featureGates: FeatureGates;
  /** Every gate of the release. */
  readonly gateStates: () => readonly GateState[];
  /** What to tell of the gates that were given. */
  readonly gateWarnings: readonly string[];
  readonly versions: EffectiveVersions;
  readonly authentication: AuthenticationConfig;
  readonly authorization: AuthorizationConfig;
  readonly admission: AdmissionConfig;
  readonly aggregation: AggregationConfig;
  /** Undefined where nothing is recorded. */
  readonly audit: AuditConfig | undefined;
  readonly tracingFile: string | undefined;
  /** Undefined when history is not ours to compact. */
  readonly historyMs: number | undefined;
  readonly controllers: ControllerConfig;
  readonly simulation: SimulationConfig;
  readonly serviceRanges: readonly string[];
  readonly serviceNodePorts: PortRange;
  /** 0 for none. */
  readonly ownNodePort: number;
  readonly requestTimeoutMs: number;
  readonly inFlight: InFlightLimits;
  /** Whether requests are sorted into priority levels. */
  readonly usesPriorities: boolean;
  readonly minWatchSeconds: number;
  readonly shutdownGraceMs: number;
  readonly shutdownDelayMs: number;
  readonly shutdownWatchGraceMs: number;
  readonly livezGraceMs: number;
  readonly log: Log;
  readonly levels: LogLevels;
  readonly commandLine: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export { OptionError, readOptionFile, type ServerOptions };

const silent: Log = { info() {}, warn() {}, error() {} };

export function resolveOptions(given: ServerOptions = {}): ServerConfig {
  checkOptions(given);
  const options = completed(serverOptions, given);
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const dialect = resolveDialect(options);
  const runtimeConfig = resolveRuntimeConfig(options, dialect);
  const simulation = resolveSimulation(given);
  return {
    store: resolveStore(options, dataDir),
    storeChecks: resolveStoreChecks(options),
    encryption: resolveEncryption(options),
    dataDir,
    bindAddress: options.bindAddress,
    securePort: options.securePort,
    advertisement: resolveAdvertisement(options),
    tls: resolveTls(options),
    signing: resolveSigning(options),
    threads: resolveThreads(given, options),
    connections: resolveConnections(options),
    serving: resolveServing(options),
    metrics: resolveMetrics(options),
    allowPrivileged: options.allowPrivileged,
    nodeTrust: resolveNodeTrust(options),
    dialect,
    runtimeConfig,
    featureGates: resolveFeatureGates(gatesIn(dialect, options.featureGates)),
    gateStates: () => gateStates(gatesIn(dialect, options.featureGates)),
    gateWarnings: options.featureGates === undefined ? [] : gateWarnings(options.featureGates),
    versions: resolveVersions(options),
    authentication: resolveAuthentication(options, {
      given,
      dialect,
      allowsEverything: options.authorizationModes.includes('AlwaysAllow'),
      tlsKeyFile: options.tlsPrivateKeyFile,
    }),
    authorization: resolveAuthorization(options, given, dialect),
    admission: resolveAdmission(options, dialect, runtimeConfig),
    aggregation: resolveAggregation(options),
    audit: resolveAudit(options.audit ?? {}, dialect),
    tracingFile: options.tracingConfigFile,
    historyMs: resolveHistory(options),
    eventTtlSeconds: options.eventTtlSeconds,
    controllers: resolveControllerOptions(options, simulation),
    simulation,
    serviceRanges: resolveServiceRanges(options.serviceClusterIpRange),
    serviceNodePorts: resolveNodePorts(options.serviceNodePortRange),
    ownNodePort: resolveOwnNodePort(options),
    requestTimeoutMs: options.requestTimeoutSeconds * 1000,
    inFlight: {
      maxRequestsInflight: options.maxRequestsInflight,
      maxMutatingRequestsInflight: options.maxMutatingRequestsInflight,
    },
    usesPriorities: options.enablePriorityAndFairness,
    minWatchSeconds: options.minRequestTimeoutSeconds,
    shutdownGraceMs: options.shutdownGraceSeconds * 1000,
    shutdownDelayMs: options.shutdownDelaySeconds * 1000,
    shutdownWatchGraceMs: options.shutdownWatchGraceSeconds * 1000,
    livezGraceMs: options.livezGraceSeconds * 1000,
    log: options.log ?? silent,
    levels: resolveLevels(options),
    commandLine: options.commandLine ?? {},
    clock: options.clock ?? systemClock,
  };
}

/** Nothing is worked out for a log that is not there. */
function resolveLevels({ log, verbosity = log === undefined ? 0 : 1, vmodule = '' }: ResolvedOptions): LogLevels {
  try {
    const { areas, unknown } = parseAreaLevels(vmodule);
    if (unknown.length > 0) log?.warn({}, unknownAreas(unknown));
    return new LogLevels(verbosity, areas);
  } catch (error) {
    throw new OptionError(`vmodule: ${(error as Error).message}`);
  }
}

function resolveHistory(options: ResolvedOptions): number | undefined {
  const { store, etcdServers, etcdCompactionSeconds } = options;
  if (store !== 'etcd' && etcdServers === undefined) return options.historySeconds * 1000;
  return etcdCompactionSeconds === 0 ? undefined : etcdCompactionSeconds * 1000;
}

function resolveStore(options: ResolvedOptions, dataDir: string | undefined): StoreConfig {
  const { store = options.etcdServers === undefined ? 'memory' : 'etcd' } = options;
  if (store !== 'etcd' && options.etcdServers !== undefined)
    throw new OptionError('etcdServers: only the etcd store has servers');
  if (typeof store === 'object') return { kind: 'given', store };
  if (store === 'memory') return { kind: 'memory' };
  if (store === 'etcd') return { kind: 'etcd', options: resolveEtcd(options) };
  if (dataDir === undefined) throw new OptionError('store: the embedded store needs dataDir');
  return { kind: 'embedded', folder: join(dataDir, 'store') };
}

function resolveAdvertisement(options: ResolvedOptions): AdvertisementConfig {
  const { advertiseAddress: address, endpointReconcilerType: reconciler, apiserverCount } = options;
  const ip = address === undefined ? undefined : parseIp(address);
  if (address !== undefined && (ip === undefined || ip.value === 0n))
    throw new OptionError(`advertiseAddress: ${JSON.stringify(address)} is not an IP address that clients can use`);
  return { address, reconciler, apiserverCount };
}

function resolveNodeTrust(options: ResolvedOptions): NodeTrust {
  const { kubeletCertificateAuthority: ca, kubeletClientCertificate: cert, kubeletClientKey: key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new OptionError('kubeletClientCertificate: needs kubeletClientKey, and the other way round');
  const read = (option: string, path: string) => readOptionFile(option, path).toString();
  return {
    ...(ca === undefined ? {} : { ca: read('kubeletCertificateAuthority', ca) }),
    ...(cert === undefined ? {} : { certificate: read('kubeletClientCertificate', cert) }),
    ...(key === undefined ? {} : { privateKey: read('kubeletClientKey', key) }),
  };
}

function resolveDialect({ dialect, dialectNames }: ResolvedOptions): Dialect {
  if (dialect === 'cluster') return cluster(dialectNames);
  const [name] = Object.keys(dialectNames ?? {});
  if (name !== undefined) throw new OptionError(`dialectNames.${name}: only the cluster dialect takes names`);
  return dialect === 'kubernetes' ? kubernetes : dialect;
}

function resolveRuntimeConfig({ runtimeConfig = {} }: ResolvedOptions, dialect: Dialect): RuntimeConfig {
  if (Object.keys(runtimeConfig).length === 0) return runtimeConfig;
  const config = withCoreNames(runtimeConfig);
  const groups = builtInGroups(dialect);
  const [unknown] = unknownSwitches(config, groups, knownGroupVersions(dialect));
  if (unknown !== undefined) throw new OptionError(`runtimeConfig: ${JSON.stringify(unknown)} is not served`);
  // the server itself needs namespaces for its objects
  const namespaces = groups.find(({ group }) => group === '') as GroupVersionDefinition;
  if (!servedPart(namespaces, config, {})?.resources.some(({ plural }) => plural === 'namespaces'))
    throw new OptionError('runtimeConfig: namespaces of the core group, api/v1, cannot be turned off');
  return config;
}

/** Fewer addresses are not worth a range. */
const smallestRange = 8n;
const widestIpv6 = 64;

function resolveServiceRanges(texts: readonly string[]): readonly string[] {
  const ranges = texts.map((text) => {
    const range = parseRange(text);
    if (range === undefined)
      throw new OptionError(`serviceClusterIpRange: ${JSON.stringify(text)} is not a CIDR range`);
    if (sizeOfRange(range) < smallestRange || (range.address.family === 'IPv6' && range.bits < widestIpv6))
      throw new OptionError(
        `serviceClusterIpRange: ${text} must have at least 8 addresses, and /64 is the widest in IPv6`,
      );
    return range;
  });
  const families = new Set(ranges.map(({ address }) => address.family));
  if (ranges.length === 0 || families.size < ranges.length)
    throw new OptionError('serviceClusterIpRange: give one range, or one of each IP family');
  return ranges.map(formatRange);
}

function resolveNodePorts(text: string): PortRange {
  const range = parsePortRange(text);
  if (range !== undefined) return range;
  throw new OptionError(`serviceNodePortRange: ${JSON.stringify(text)} is not a range such as 30000-32767`);
}

function resolveOwnNodePort({ kubernetesServiceNodePort: port, serviceNodePortRange }: ResolvedOptions): number {
  const { from, to } = resolveNodePorts(serviceNodePortRange);
  if (port === 0 || (Number.isInteger(port) && port >= from && port <= to)) return port;
  throw new OptionError(`kubernetesServiceNodePort: ${port} is not in the range ${from}-${to} of node ports`);
}
