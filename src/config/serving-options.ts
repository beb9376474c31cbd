// Options of how requests are answered and how serving ends, in the words of kube-apiserver.

import { patternProblem } from '../base/text/user-pattern.ts';
import { isPlainRuntime } from '../runtime/plain-runtime.ts';
import type { Http2Implementation } from '../transport/http2-implementation.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions } from './server-options.ts';

export interface ServingConfig
  extends Pick<ResolvedOptions, 'goawayChance' | 'externalHostname' | 'deleteCollectionWorkers'> {
  readonly corsOrigins: readonly string[];
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly sendsRetryAfter: boolean;
  readonly speaksHttp2: boolean;
  readonly http2: Http2Implementation;
  readonly hasDebugPages: boolean;
  readonly hasConsole: boolean;
  readonly nodeAddressTypes: readonly string[];
}

export function resolveServing(options: ResolvedOptions): ServingConfig {
  return {
    corsOrigins: checkOrigins(options.corsAllowedOrigins ?? []),
    headers: transportSecurity(options.strictTransportSecurityDirectives ?? []),
    goawayChance: options.goawayChance,
    sendsRetryAfter: options.shutdownSendRetryAfter,
    speaksHttp2: !options.disableHttp2Serving,
    http2: options.http2 ?? (isPlainRuntime ? 'node' : 'own'),
    externalHostname: options.externalHostname,
    deleteCollectionWorkers: options.deleteCollectionWorkers,
    hasDebugPages: options.profiling,
    hasConsole: options.enableUi,
    nodeAddressTypes: options.kubeletPreferredAddressTypes,
  };
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
