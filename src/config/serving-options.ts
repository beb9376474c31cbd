// Options of how requests are answered and how serving ends, in the words of kube-apiserver.

import { patternProblem } from '../base/user-pattern.ts';
import { isPlainRuntime } from '../runtime/plain-runtime.ts';
import { type Http2Implementation, http2Implementations } from '../transport/http2-implementation.ts';
import { OptionError } from './option-error.ts';

export interface ServingOptions {
  /** Regular expressions of origins whose pages may use the server from a browser; none when not given. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Directives of the Strict-Transport-Security header, such as `max-age=31536000`; no header when not given. */
  readonly strictTransportSecurityDirectives?: readonly string[];
  /** How likely a request over HTTP/2 ends its connection, 0 to 0.02, so that clients spread over servers; 0 when not given. */
  readonly goawayChance?: number;
  /** Whether requests that come while the server stops are answered with 429 instead of a closed port. */
  readonly shutdownSendRetryAfter?: boolean;
  /** Whether connections speak HTTP/1.1 only. */
  readonly disableHttp2Serving?: boolean;
  /**
   * Which implementation of HTTP/2 serves connections: Keelson's own, or Node's as a fallback, which costs more processor time. The own
   * one when not given; Node's where `KEELSON_PLAIN_RUNTIME=1` is set.
   */
  readonly http2?: Http2Implementation;
  /** The name of this server for clients outside; discovery shows it. */
  readonly externalHostname?: string;
  /** Objects that the deletion of a collection deletes at a time; 32 when not given. */
  readonly deleteCollectionWorkers?: number;
  /** Whether there are `/configz`, and profiles and levels of the log below `/debug`; true when not given. */
  readonly profiling?: boolean;
  /** Which address of a node is used, the first that it has; Hostname first when not given. */
  readonly kubeletPreferredAddressTypes?: readonly string[];
}

export interface ServingConfig {
  readonly corsOrigins: readonly string[];
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly goawayChance: number;
  readonly sendsRetryAfter: boolean;
  readonly speaksHttp2: boolean;
  readonly http2: Http2Implementation;
  readonly externalHostname: string | undefined;
  readonly deleteCollectionWorkers: number;
  readonly hasDebugPages: boolean;
  readonly nodeAddressTypes: readonly string[];
}

/** Enough to fill a batch of the store, too few to push others aside. */
const usualDeleteWorkers = 32;
/** More would cost more connections than they are worth. */
const mostGoaway = 0.02;
export const usualAddressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'] as const;

export function resolveServing(options: ServingOptions): ServingConfig {
  const { goawayChance = 0, deleteCollectionWorkers = usualDeleteWorkers, externalHostname } = options;
  if (!(goawayChance >= 0 && goawayChance <= mostGoaway))
    throw new OptionError('goawayChance: can not be less than 0 or greater than 0.02');
  if (!Number.isSafeInteger(deleteCollectionWorkers) || deleteCollectionWorkers < 1)
    throw new OptionError(`deleteCollectionWorkers: ${deleteCollectionWorkers} is not a positive number`);
  return {
    corsOrigins: checkOrigins(options.corsAllowedOrigins ?? []),
    headers: transportSecurity(options.strictTransportSecurityDirectives ?? []),
    goawayChance,
    sendsRetryAfter: options.shutdownSendRetryAfter ?? false,
    speaksHttp2: !options.disableHttp2Serving,
    http2: checkImplementation(options.http2 ?? (isPlainRuntime ? 'node' : 'own')),
    externalHostname,
    deleteCollectionWorkers,
    hasDebugPages: options.profiling ?? true,
    nodeAddressTypes: options.kubeletPreferredAddressTypes ?? usualAddressTypes,
  };
}

function checkImplementation(name: Http2Implementation): Http2Implementation {
  if (http2Implementations.includes(name)) return name;
  throw new OptionError(`http2: ${name} is not one of ${http2Implementations.join(', ')}`);
}

/** An expression that does not pin the host would also let in hosts whose name merely contains it. */
function checkOrigins(origins: readonly string[]): readonly string[] {
  for (const origin of origins) {
    const isPinned = /\^|\/\//.test(origin) && /[$:]/.test(origin);
    const problem =
      patternProblem(origin) ??
      (isPinned ? undefined : 'regular expression does not pin to start/end of host in the origin header');
    if (problem !== undefined)
      throw new OptionError(`corsAllowedOrigins: has an invalid regular expression: ${problem}`);
  }
  return origins;
}

function transportSecurity(directives: readonly string[]): ServingConfig['headers'] {
  if (directives.length === 0) return undefined;
  const bad = directives.find((one) => !/^(includeSubDomains|preload|max-age=[\x21-\x3c\x3e-\x7e]*)$/.test(one));
  if (bad !== undefined)
    throw new OptionError(
      'strictTransportSecurityDirectives: invalid, allowed values: max-age=expireTime, includeSubDomains, preload',
    );
  return { 'strict-transport-security': directives.join('; ') };
}
