// Options: optional outside, complete inside. Contradictions fail here, with the option's name.

import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { LogLevels, parseAreaLevels, unknownAreas } from '../base/log-levels.ts';
import { builtInGroups, knownGroupVersions } from '../groups/catalog.ts';
import { defaultNodePorts, type PortRange, parsePortRange } from '../groups/core/v1/node-ports.ts';
import { cluster, type Dialect, type DialectNames, kubernetes } from '../meta/dialect.ts';
import type { EffectiveVersions } from '../meta/effective-versions.ts';
import { formatRange, parseIp, parseRange, sizeOfRange } from '../meta/ip.ts';
import { type ReconcilerType, reconcilerTypes } from '../meta/reconciler-type.ts';
import type { InFlightLimits } from '../pipeline/limit.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import type { EtcdOptions } from '../storage/etcd/etcd-store.ts';
import type { Store } from '../storage/store.ts';
import type { NodeTrust } from '../transport/http/backend-socket.ts';
import type { ConnectionLimits } from '../transport/http/connection-limits.ts';
import { type AdmissionConfig, type AdmissionOptions, resolveAdmission } from './admission-options.ts';
import { type AggregationConfig, type AggregationOptions, resolveAggregation } from './aggregation-options.ts';
import { type AuditConfig, type AuditOptions, resolveAudit } from './audit-options.ts';
import {
  type AuthenticationConfig,
  type AuthenticationOptions,
  resolveAuthentication,
} from './authentication-options.ts';
import { type AuthorizationConfig, type AuthorizationOptions, resolveAuthorization } from './authorization-options.ts';
import { type ConnectionOptions, resolveConnections } from './connection-options.ts';
import { type ControllerConfig, type ControllerOptions, resolveControllerOptions } from './controller-options.ts';
import {
  type EncryptionConfig,
  type EtcdStoreOptions,
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
import { type MetricConfig, type MetricOptions, resolveMetrics } from './metric-options.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import { checkOptions } from './option-types.ts';
import { type RuntimeConfig, servedPart, unknownSwitches, withCoreNames } from './runtime-config.ts';
import { resolveServing, type ServingConfig, type ServingOptions } from './serving-options.ts';
import { resolveSigning, type SigningConfig, type SigningOptions } from './signing-options.ts';
import { resolveSimulation, type SimulationOptions } from './simulation-options.ts';
import { resolveThreads, type ThreadConfig, type ThreadOptions } from './thread-options.ts';
import { resolveTls, type TlsConfig, type TlsOptions } from './tls-options.ts';
import { resolveVersions, type VersionOptions } from './version-options.ts';

export interface ServerOptions
  extends AuthenticationOptions,
    AuthorizationOptions,
    AdmissionOptions,
    SigningOptions,
    AggregationOptions,
    TlsOptions,
    VersionOptions,
    ConnectionOptions,
    ServingOptions,
    ControllerOptions,
    SimulationOptions,
    MetricOptions,
    ThreadOptions,
    EtcdStoreOptions {
  /** Where objects are kept: `memory` (the default when embedding), `embedded` (needs dataDir), `etcd`, or a store of your own. */
  readonly store?: 'memory' | 'embedded' | 'etcd' | Store;
  /** How long events are kept, in seconds. */
  readonly eventTtlSeconds?: number;
  /** Folder of the embedded store, the certificates and the kubeconfig. */
  readonly dataDir?: string;
  /** Address to listen on; 127.0.0.1 when not given. */
  readonly bindAddress?: string;
  /** Port to listen on; 0, the default, picks a free one. */
  readonly securePort?: number;
  /** Address that clients in the cluster use; when not given, that of `bindAddress` or one that other machines can reach. */
  readonly advertiseAddress?: string;
  /** How API servers on one store agree on the endpoints of their service; `lease` when not given. */
  readonly endpointReconcilerType?: ReconcilerType;
  /** For `master-count`: how many API servers there are; 1 when not given. */
  readonly apiserverCount?: number;
  /** Whether containers may be privileged; false when not given. */
  readonly allowPrivileged?: boolean;
  /** The port of every node by which the service of the API servers is reached; 0, the default, for none. */
  readonly kubernetesServiceNodePort?: number;
  /** PEM file of who signs the certificates of node agents; they are not checked when not given. */
  readonly kubeletCertificateAuthority?: string;
  /** PEM file of the certificate that this server shows to node agents. */
  readonly kubeletClientCertificate?: string;
  /** PEM file of the key of `kubeletClientCertificate`. */
  readonly kubeletClientKey?: string;
  /** Names and behaviour on the wire: `kubernetes` (the default), `cluster`, or one of your own. */
  readonly dialect?: 'kubernetes' | 'cluster' | Dialect;
  /** Names for the `cluster` dialect. */
  readonly dialectNames?: Partial<DialectNames>;
  /** Switches for group-versions and resources: `{ 'api/beta': true, 'apps/v1/deployments': false }`. */
  readonly runtimeConfig?: RuntimeConfig;
  /** Gates by name: `{ APIListChunking: false }`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** The audit log: which requests are recorded, and where. */
  readonly audit?: AuditOptions;
  /** Ranges that services get their addresses from: one, or one of each IP family; 10.0.0.0/24 when not given. */
  readonly serviceClusterIpRange?: readonly string[];
  /** Ports that services may open on every node, such as `30000-32767`. */
  readonly serviceNodePortRange?: string;
  /** How long history is kept for watches and exact reads, in seconds. */
  readonly historySeconds?: number;
  /** How long a request may take before its answer begins, in seconds. */
  readonly requestTimeoutSeconds?: number;
  /** Requests that only read and may be under way at once; 0 for any number, 400 when not given. */
  readonly maxRequestsInflight?: number;
  /** Requests that may change something and be under way at once; 0 for any number, 200 when not given. */
  readonly maxMutatingRequestsInflight?: number;
  /** Whether FlowSchemas and PriorityLevelConfigurations decide which requests run and which wait; true when not given. */
  readonly enablePriorityAndFairness?: boolean;
  /** A watch without timeoutSeconds lasts between this and twice this. */
  readonly minRequestTimeoutSeconds?: number;
  /** How long requests under way may take to finish when the server closes, in seconds. */
  readonly shutdownGraceSeconds?: number;
  /** How long the server serves requests after `close()`, while `/readyz` fails, in seconds. */
  readonly shutdownDelaySeconds?: number;
  /** How long after its start `/livez` takes for granted that what runs at start will be done, in seconds. */
  readonly livezGraceSeconds?: number;
  /** Lines of the log; nothing is logged when not given. */
  readonly log?: Log;
  /**
   * How much is logged: 0 what an operator must act on, 1 also start, stop and configuration (the default when embedding),
   * 2 requests that failed or were slow, 3 every request, 4 decisions.
   */
  readonly verbosity?: number;
  /** Levels of their own for some areas: `requests=3,webhooks=4`. */
  readonly vmodule?: string;
  /** Flags of the command line with their values, as `/flagz` shows them; none when not given. */
  readonly commandLine?: Readonly<Record<string, string>>;
  /** What time it is, and what happens later; the system's clock when not given. */
  readonly clock?: Clock;
}

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

export interface ServerConfig {
  readonly store: StoreConfig;
  readonly storeChecks: StoreChecks;
  readonly encryption: EncryptionConfig | undefined;
  readonly dataDir: string | undefined;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly advertisement: AdvertisementConfig;
  /** The server has these kinds instead of the built-in ones, behind another API server. */
  readonly extension?: ExtensionConfig;
  readonly tls: TlsConfig;
  readonly signing: SigningConfig;
  readonly threads: ThreadConfig;
  readonly connections: Partial<ConnectionLimits>;
  readonly serving: ServingConfig;
  readonly metrics: MetricConfig;
  readonly allowPrivileged: boolean;
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
  /** Undefined when history is not ours to compact. */
  readonly historyMs: number | undefined;
  readonly eventTtlSeconds: number;
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
  readonly livezGraceMs: number;
  readonly log: Log;
  readonly levels: LogLevels;
  readonly commandLine: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export { OptionError, readOptionFile };

const silent: Log = { info() {}, warn() {}, error() {} };

export function resolveOptions(options: ServerOptions = {}): ServerConfig {
  checkOptions(options);
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const dialect = resolveDialect(options);
  const runtimeConfig = resolveRuntimeConfig(options, dialect);
  const simulation = resolveSimulation(options);
  return {
    store: resolveStore(options, dataDir),
    storeChecks: resolveStoreChecks(options),
    encryption: resolveEncryption(options),
    dataDir,
    bindAddress: options.bindAddress ?? '127.0.0.1',
    securePort: resolvePort(options.securePort ?? 0),
    advertisement: resolveAdvertisement(options),
    tls: resolveTls(options),
    signing: resolveSigning(options),
    threads: resolveThreads(options),
    connections: resolveConnections(options),
    serving: resolveServing(options),
    metrics: resolveMetrics(options),
    allowPrivileged: options.allowPrivileged ?? false,
    nodeTrust: resolveNodeTrust(options),
    dialect,
    runtimeConfig,
    featureGates: resolveFeatureGates(gatesIn(dialect, options.featureGates)),
    gateStates: () => gateStates(gatesIn(dialect, options.featureGates)),
    gateWarnings: options.featureGates === undefined ? [] : gateWarnings(options.featureGates),
    versions: resolveVersions(options),
    authentication: resolveAuthentication(options, {
      dialect,
      allowsEverything: options.authorizationModes?.includes('AlwaysAllow') ?? false,
      tlsKeyFile: options.tlsPrivateKeyFile,
    }),
    authorization: resolveAuthorization(options, dialect),
    admission: resolveAdmission(options, dialect, runtimeConfig),
    aggregation: resolveAggregation(options),
    audit: resolveAudit(options.audit ?? {}, dialect),
    historyMs: resolveHistory(options),
    eventTtlSeconds: positive('eventTtlSeconds', options.eventTtlSeconds ?? 3600),
    controllers: resolveControllerOptions(options, simulation),
    simulation,
    serviceRanges: resolveServiceRanges(options.serviceClusterIpRange ?? ['10.0.0.0/24']),
    serviceNodePorts: resolveNodePorts(options.serviceNodePortRange),
    ownNodePort: resolveOwnNodePort(options),
    requestTimeoutMs: positive('requestTimeoutSeconds', options.requestTimeoutSeconds ?? 60) * 1000,
    inFlight: {
      maxRequestsInflight: count('maxRequestsInflight', options.maxRequestsInflight ?? 400),
      maxMutatingRequestsInflight: count('maxMutatingRequestsInflight', options.maxMutatingRequestsInflight ?? 200),
    },
    usesPriorities: options.enablePriorityAndFairness ?? true,
    minWatchSeconds: positive('minRequestTimeoutSeconds', options.minRequestTimeoutSeconds ?? 1800),
    shutdownGraceMs: notNegative('shutdownGraceSeconds', options.shutdownGraceSeconds ?? 10) * 1000,
    shutdownDelayMs: notNegative('shutdownDelaySeconds', options.shutdownDelaySeconds ?? 0) * 1000,
    livezGraceMs: notNegative('livezGraceSeconds', options.livezGraceSeconds ?? 0) * 1000,
    log: options.log ?? silent,
    levels: resolveLevels(options),
    commandLine: options.commandLine ?? {},
    clock: options.clock ?? systemClock,
  };
}

/** Nothing is worked out for a log that is not there. */
function resolveLevels({ log, verbosity = log === undefined ? 0 : 1, vmodule = '' }: ServerOptions): LogLevels {
  if (!Number.isSafeInteger(verbosity) || verbosity < 0)
    throw new OptionError(`verbosity: ${verbosity} is not a level, use 0 to 4`);
  try {
    const { areas, unknown } = parseAreaLevels(vmodule);
    if (unknown.length > 0) log?.warn({}, unknownAreas(unknown));
    return new LogLevels(verbosity, areas);
  } catch (error) {
    throw new OptionError(`vmodule: ${(error as Error).message}`);
  }
}

function resolveHistory(options: ServerOptions): number | undefined {
  const { store, etcdServers, etcdCompactionSeconds = 300 } = options;
  if (store !== 'etcd' && etcdServers === undefined) {
    return positive('historySeconds', options.historySeconds ?? 300) * 1000;
  }
  return etcdCompactionSeconds === 0 ? undefined : positive('etcdCompactionSeconds', etcdCompactionSeconds) * 1000;
}

function resolveStore(options: ServerOptions, dataDir: string | undefined): StoreConfig {
  const { store = options.etcdServers === undefined ? 'memory' : 'etcd' } = options;
  if (store !== 'etcd' && options.etcdServers !== undefined)
    throw new OptionError('etcdServers: only the etcd store has servers');
  if (typeof store === 'object') return { kind: 'given', store };
  if (store === 'memory') return { kind: 'memory' };
  if (store === 'etcd') return { kind: 'etcd', options: resolveEtcd(options) };
  if (dataDir === undefined) throw new OptionError('store: the embedded store needs dataDir');
  return { kind: 'embedded', folder: join(dataDir, 'store') };
}

function resolvePort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new OptionError(`securePort: ${port} is not a port, use 0 to 65535`);
}

function resolveAdvertisement(options: ServerOptions): AdvertisementConfig {
  const { advertiseAddress: address, endpointReconcilerType: reconciler = 'lease', apiserverCount = 1 } = options;
  const ip = address === undefined ? undefined : parseIp(address);
  if (address !== undefined && (ip === undefined || ip.value === 0n))
    throw new OptionError(`advertiseAddress: ${JSON.stringify(address)} is not an IP address that clients can use`);
  if (!reconcilerTypes.includes(reconciler))
    throw new OptionError(`endpointReconcilerType: ${reconciler} is not one of ${reconcilerTypes.join(', ')}`);
  if (!Number.isSafeInteger(apiserverCount) || apiserverCount < 1)
    throw new OptionError(`apiserverCount: ${apiserverCount} is not a positive number`);
  return { address, reconciler, apiserverCount };
}

function resolveNodeTrust(options: ServerOptions): NodeTrust {
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

function resolveDialect({ dialect = 'kubernetes', dialectNames }: ServerOptions): Dialect {
  if (dialect === 'cluster') return cluster(dialectNames);
  const [name] = Object.keys(dialectNames ?? {});
  if (name !== undefined) throw new OptionError(`${name}: only the cluster dialect takes names`);
  return dialect === 'kubernetes' ? kubernetes : dialect;
}

function resolveRuntimeConfig({ runtimeConfig = {} }: ServerOptions, dialect: Dialect): RuntimeConfig {
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

function resolveNodePorts(text: string | undefined): PortRange {
  if (text === undefined) return defaultNodePorts;
  const range = parsePortRange(text);
  if (range !== undefined) return range;
  throw new OptionError(`serviceNodePortRange: ${JSON.stringify(text)} is not a range such as 30000-32767`);
}

function resolveOwnNodePort({ kubernetesServiceNodePort: port = 0, serviceNodePortRange }: ServerOptions): number {
  const { from, to } = resolveNodePorts(serviceNodePortRange);
  if (port === 0 || (Number.isInteger(port) && port >= from && port <= to)) return port;
  throw new OptionError(`kubernetesServiceNodePort: ${port} is not in the range ${from}-${to} of node ports`);
}

function notNegative(name: string, value: number): number {
  if (value >= 0 && Number.isFinite(value)) return value;
  throw new OptionError(`${name}: ${value} is not a number of seconds`);
}

function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new OptionError(`${name}: ${value} is not a positive number of seconds`);
}

function count(name: string, value: number): number {
  if (value >= 0 && Number.isSafeInteger(value)) return value;
  throw new OptionError(`${name}: ${value} is not a number of requests`);
}
