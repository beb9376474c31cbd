// What aggregated API servers have to know of this cluster's clients and of its front proxies, in a ConfigMap that all
// API servers of the cluster write together: each adds its own part, and leaves those of others.

import { X509Certificate } from 'node:crypto';
import { type Client, isInvalid, isNotFound, RequestError } from '../client/client.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';

export interface AuthenticationTrust {
  /** PEM of the CAs of clients. */
  readonly clientCa: string;
  /** Undefined where no proxy is trusted. */
  readonly proxies: ProxyTrust | undefined;
}

interface ProxyTrust extends Readonly<Record<HeaderList, readonly string[]>> {
  /** PEM. */
  readonly ca: string;
}

/** The lists, and the keys under which they are published. */
const listKeys = {
  usernameHeaders: 'requestheader-username-headers',
  uidHeaders: 'requestheader-uid-headers',
  groupHeaders: 'requestheader-group-headers',
  extraPrefixes: 'requestheader-extra-headers-prefix',
  allowedNames: 'requestheader-allowed-names',
} as const;
type HeaderList = keyof typeof listKeys;
const clientCaKey = 'client-ca-file';
const proxyCaKey = 'requestheader-client-ca-file';

const authenticationTrustName = 'extension-apiserver-authentication';

type Data = Readonly<Record<string, string>>;

export const authenticationTrustRef = ({ systemNamespace }: Dialect): ObjectRef => ({
  namespace: systemNamespace,
  name: authenticationTrustName,
});

/** Writes nothing where everything is there already. */
export async function publishTrust(
  client: Client,
  dialect: Dialect,
  trust: AuthenticationTrust,
  now: number,
): Promise<void> {
  const collection = `/api/v1/namespaces/${dialect.systemNamespace}/configmaps`;
  const path = `${collection}/${authenticationTrustName}`;
  const current = await client.find<ApiObject & { readonly data?: Data }>(path);
  const data = mergeTrust(current?.data ?? {}, trust, now);
  if (current === undefined) return createWith(client, collection, data);
  if (isSame(current.data ?? {}, data)) return;
  try {
    await client.replace(path, { ...current, data });
  } catch (error) {
    if (isTooLarge(error)) await client.delete(path);
    throw error;
  }
}

async function createWith(client: Client, collection: string, data: Data): Promise<void> {
  const metadata = { name: authenticationTrustName };
  try {
    await client.create(collection, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data });
  } catch (error) {
    // the kind is not served
    if (!isNotFound(error)) throw error;
  }
}

/** Too many CAs were added over the years: the ConfigMap is written again, with those of the running servers. */
const isTooLarge = (error: unknown) =>
  (error instanceof RequestError && error.code === 413) ||
  (isInvalid(error) && (error as RequestError).message.includes('Too long'));

function isSame(a: Data, b: Data): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** The published lists, with this server's own entries at the end. An unreadable list counts as empty. */
export function mergeTrust(published: Data, { clientCa, proxies }: AuthenticationTrust, now: number): Data {
  const clients = mergeCertificates([published[clientCaKey] ?? '', clientCa], now);
  const proxyCa = mergeCertificates([published[proxyCaKey] ?? '', proxies?.ca ?? ''], now);
  const data: Record<string, string> = clients === '' ? {} : { [clientCaKey]: clients };
  if (proxyCa === '') return data;
  data[proxyCaKey] = proxyCa;
  for (const [list, key] of Object.entries(listKeys) as [HeaderList, string][]) {
    const all = new Set([...listIn(published[key]), ...(proxies?.[list] ?? [])]);
    // older servers have no such headers, and get no empty list
    if (list !== 'uidHeaders' || all.size > 0) data[key] = JSON.stringify([...all]);
  }
  return data;
}

/** The published ConfigMap, parsed for a server that trusts it. */
export function readTrust(published: Data): AuthenticationTrust {
  const ca = published[proxyCaKey] ?? '';
  const lists = Object.entries(listKeys).map(([list, key]) => [list, listIn(published[key])]);
  return {
    clientCa: published[clientCaKey] ?? '',
    proxies: ca === '' ? undefined : { ...(Object.fromEntries(lists) as Omit<ProxyTrust, 'ca'>), ca },
  };
}

function listIn(text = ''): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Clocks differ: a CA that ended a moment ago may still count elsewhere. */
const slackMs = 5 * 60 * 1000;

/** One of each, in order, without those that have ended. */
function mergeCertificates(bundles: readonly string[], now: number): string {
  const pems = bundles.flatMap((bundle) => bundle.match(certificateBlock) ?? []).flatMap(readCertificate);
  const lasting = pems.filter(({ validTo }) => Date.parse(validTo) > now - slackMs);
  return [...new Set(lasting.map((certificate) => certificate.toString()))].join('');
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readCertificate(pem: string): readonly X509Certificate[] {
  try {
    return [new X509Certificate(pem)];
  } catch {
    return [];
  }
}
