// Options of the front proxy: how aggregated API servers recognise this one, and proxies that name users in headers.

import type { RequestHeaderConfig } from '../authn/request-header.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions } from './server-options.ts';
import type { PairFiles } from './tls-options.ts';

/** `own`: made by the server. `none`: aggregated servers are called without a certificate. */
export type FrontProxyConfig =
  | { readonly kind: 'own' }
  | { readonly kind: 'files'; readonly files: PairFiles }
  | { readonly kind: 'none' };

/** Names as they were given, for servers that have to know them. */
interface ProxyHeaders {
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export interface RequestHeaderOptions extends Omit<RequestHeaderConfig, 'authorities' | 'clock'> {
  /** Undefined where the only proxy is the server's own. */
  readonly caFile: string | undefined;
  readonly asGiven: ProxyHeaders;
}

/** The common name of the server's own certificate, as kubeadm writes it. */
export const ownProxyName = 'front-proxy-client';

const ownHeaders: ProxyHeaders = {
  allowedNames: [ownProxyName],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
};

export function resolveFrontProxy(options: ResolvedOptions): FrontProxyConfig {
  const { proxyClientCertFile: certFile, proxyClientKeyFile: keyFile } = options;
  if (certFile !== undefined && keyFile !== undefined) return { kind: 'files', files: { certFile, keyFile } };
  if (certFile !== undefined) throw new OptionError('proxyClientCertFile: needs proxyClientKeyFile as well');
  if (keyFile !== undefined) throw new OptionError('proxyClientKeyFile: needs proxyClientCertFile as well');
  return { kind: options.requestheaderClientCaFile === undefined ? 'own' : 'none' };
}

/** Undefined where a certificate was given, and no CA: then no proxy is trusted. */
export function resolveRequestHeader(
  options: ResolvedOptions,
  checkFile: (option: string, path: string) => void,
): RequestHeaderOptions | undefined {
  const { requestheaderClientCaFile: caFile, requestheaderUsernameHeaders: usernames = [] } = options;
  if (caFile === undefined) {
    throwIfWithoutCa(options);
    return options.proxyClientCertFile === undefined ? withNames(undefined, ownHeaders) : undefined;
  }
  if (usernames.length === 0)
    throw new OptionError('requestheaderClientCaFile: needs requestheaderUsernameHeaders as well');
  checkFile('requestheaderClientCaFile', caFile);
  // a certificate without a common name must not pass for a proxy
  if (options.requestheaderAllowedNames?.includes('') === true)
    throw new OptionError('requestheaderAllowedNames: a name is empty; leave all of them out to allow any');
  return withNames(caFile, {
    allowedNames: options.requestheaderAllowedNames ?? [],
    usernameHeaders: usernames,
    uidHeaders: options.requestheaderUidHeaders ?? [],
    groupHeaders: options.requestheaderGroupHeaders ?? [],
    extraPrefixes: options.requestheaderExtraHeadersPrefixes ?? [],
  });
}

function throwIfWithoutCa({ requestheaderUsernameHeaders: usernames = [] }: ResolvedOptions): void {
  if (usernames.length > 0)
    throw new OptionError('requestheaderUsernameHeaders: needs requestheaderClientCaFile as well');
}

function withNames(caFile: string | undefined, asGiven: ProxyHeaders): RequestHeaderOptions {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
  return {
    caFile,
    asGiven,
    allowedNames: asGiven.allowedNames,
    usernameHeaders: lower(asGiven.usernameHeaders),
    uidHeaders: lower(asGiven.uidHeaders),
    groupHeaders: lower(asGiven.groupHeaders),
    extraPrefixes: lower(asGiven.extraPrefixes),
  };
}
