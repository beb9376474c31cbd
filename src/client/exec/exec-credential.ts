// The object that a credential plugin is given, and the one it answers with.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { stringifyJson } from '../../base/json/json.ts';
import { JsonFields } from '../../base/json/json-fields.ts';
import { apiGroup, type Dialect } from '../../meta/dialect.ts';
import { normalizeTime } from '../../meta/time.ts';
import type { Credentials } from '../credentials.ts';
import type { ClusterEntry } from '../kubeconfig/kubeconfig.ts';

/** A plugin that cannot be run or does not answer as it should; the text never contains credentials. */
export class ExecPluginError extends Error {}

export interface IssuedCredentials extends Credentials {
  /** When they end; undefined for never. */
  readonly expiresAt?: number;
}

const group = (dialect: Dialect) => apiGroup(dialect, 'client.authentication');

/** Throws for a version that plugins are not spoken to in. */
export function checkExecVersion(apiVersion: string, dialect: Dialect): void {
  const knownVersions = ['v1', 'v1beta1'].map((version) => `${group(dialect)}/${version}`);
  if (!knownVersions.includes(apiVersion))
    throw new ExecPluginError(
      `exec: apiVersion ${JSON.stringify(apiVersion)} is not one of ${knownVersions.join(', ')}`,
    );
}

interface ExecInput {
  readonly apiVersion: string;
  readonly interactive: boolean;
  /** Set if the plugin requests the cluster of the credentials. */
  readonly cluster?: { readonly entry: ClusterEntry; readonly authority: string | undefined };
}

/** What a plugin finds in its environment. */
export function execInput({ apiVersion, interactive, cluster }: ExecInput, dialect: Dialect): string {
  const spec = { ...(cluster === undefined ? {} : { cluster: clusterInfo(cluster, dialect) }), interactive };
  // what a cluster's extension holds may have integers of any size
  return stringifyJson({ kind: 'ExecCredential', apiVersion, spec });
}

function clusterInfo({ entry, authority }: NonNullable<ExecInput['cluster']>, dialect: Dialect): object {
  const config = entry.extensions.get(`${group(dialect)}/exec`);
  return {
    server: entry.server,
    ...(entry.tlsServerName === '' ? {} : { 'tls-server-name': entry.tlsServerName }),
    ...(entry.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(entry.proxyUrl === '' ? {} : { 'proxy-url': entry.proxyUrl }),
    ...(entry.disableCompression ? { 'disable-compression': true } : {}),
    ...(config === undefined ? {} : { config }),
  };
}

/** Reads what a plugin wrote to standard output. */
export function parseExecOutput(output: string, apiVersion: string): IssuedCredentials {
  const root = decode(output);
  const [kind, version] = [root.text('kind'), root.text('apiVersion')];
  if (kind !== 'ExecCredential')
    throw new ExecPluginError('exec: the plugin answered with something that is no ExecCredential');
  if (version !== apiVersion)
    throw new ExecPluginError(
      `exec: the plugin is asked for ${apiVersion} and answered in ${JSON.stringify(version.slice(0, 100))}`,
    );
  const status = root.object('status');
  if (status === undefined) throw new ExecPluginError('exec: the plugin answered without a status');
  return issued(status);
}

function decode(output: string): JsonFields {
  try {
    return JsonFields.of(JSON.parse(output), '');
  } catch {
    // the parser's words would quote the output
    throw new ExecPluginError('exec: the output of the plugin is not JSON');
  }
}

function issued(status: JsonFields): IssuedCredentials {
  const token = status.text('token');
  const certificate = status.text('clientCertificateData');
  const privateKey = status.text('clientKeyData');
  if ((certificate === '') !== (privateKey === ''))
    throw new ExecPluginError('exec: the plugin answered with only one of certificate and key');
  if (token === '' && certificate === '')
    throw new ExecPluginError('exec: the plugin answered with neither a token nor a certificate and its key');
  if (certificate !== '') checkPair(certificate, privateKey);
  const expires = status.text('expirationTimestamp');
  return {
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(certificate === '' ? {} : { keyPair: { certificate, privateKey } }),
    ...(expires === '' ? {} : { expiresAt: timeOf(expires) }),
  };
}

function checkPair(certificate: string, privateKey: string): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    throw new ExecPluginError('exec: the certificate or the key of the plugin cannot be read');
  }
  if (!fits) throw new ExecPluginError('exec: the certificate and the key of the plugin do not belong together');
}

function timeOf(text: string): number {
  if (normalizeTime(text) === undefined) throw new ExecPluginError('exec: expirationTimestamp is no RFC 3339 time');
  return Date.parse(text);
}
