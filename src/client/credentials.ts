// Who a client is to a server: headers for requests, a certificate for connections.

import type { Clock } from '../base/time/clock.ts';
import { FileText } from './file-text.ts';
import type { ImpersonationEntry, UserEntry } from './kubeconfig/kubeconfig.ts';

/** A certificate and its key, in PEM. */
export interface ClientKeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface Credentials {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  readonly keyPair?: ClientKeyPair;
}

export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Called when the server refused `used`: resolves to newer credentials, or to undefined if there are none. */
  renew(used: Credentials): Promise<Credentials | undefined>;
}

/** Sends a request, and once more if its credentials were refused and there are newer ones. */
export async function sendWithRenewal<A extends { readonly status: number }>(
  source: CredentialSource,
  send: (credentials: Credentials) => Promise<A>,
): Promise<A> {
  const used = await source.current();
  const answer = await send(used);
  if (answer.status !== 401) return answer;
  const newer = await source.renew(used);
  return newer === undefined ? answer : send(newer);
}

/** Credentials that stand in the kubeconfig or in files it names. */
export function standingCredentials(user: UserEntry, clock: Clock): CredentialSource {
  const tokenFile = user.tokenFile === '' ? undefined : new FileText(user.tokenFile, clock);
  const keyPair = keyPairSource(user, clock);
  const current = async (): Promise<Credentials> => {
    const authorization = authorizationOf(user, tokenFile);
    const pair = keyPair?.();
    return {
      ...(authorization === undefined ? {} : { authorization }),
      ...(pair === undefined ? {} : { keyPair: pair }),
    };
  };
  return {
    current,
    async renew(used) {
      if (tokenFile === undefined) return undefined;
      tokenFile.doubt();
      const newer = await current();
      return newer.authorization === used.authorization ? undefined : newer;
    },
  };
}

/** A token in a file is newer than one in the kubeconfig. */
function authorizationOf(user: UserEntry, tokenFile: FileText | undefined): string | undefined {
  const { token, username, password } = user;
  if (username !== '') return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const newest = tokenFile === undefined ? token : tokenIn(tokenFile, token);
  return newest === '' ? undefined : `Bearer ${newest}`;
}

function tokenIn(file: FileText, otherwise: string): string {
  try {
    const text = file.read().trim();
    if (text !== '') return text;
  } catch (error) {
    if (otherwise === '') throw error;
  }
  if (otherwise === '') throw new Error(`${file.path}: the file has no token`);
  return otherwise;
}

function keyPairSource(user: UserEntry, clock: Clock): (() => ClientKeyPair) | undefined {
  const certificate = pemSource(user.clientCertificateData, user.clientCertificate, clock);
  const privateKey = pemSource(user.clientKeyData, user.clientKey, clock);
  if (certificate === undefined || privateKey === undefined) return undefined;
  return () => ({ certificate: certificate(), privateKey: privateKey() });
}

/** PEM that stands in the kubeconfig as base64, or in a file that may change. */
export function pemSource(data: string, path: string, clock: Clock): (() => string) | undefined {
  if (data !== '') {
    const text = Buffer.from(data, 'base64').toString();
    return () => text;
  }
  if (path === '') return undefined;
  const file = new FileText(path, clock);
  return () => file.read();
}

/** Header values are bytes: other characters than ASCII are sent as UTF-8. */
const headerText = (text: string) => Buffer.from(text).toString('latin1');

/** Keys of extra information in the characters a header name may have. */
function headerKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** The headers by which a client acts as another user. */
export function impersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: ImpersonationEntry): Record<string, string | string[]> {
  if (user === '') return {};
  return {
    'impersonate-user': headerText(user),
    ...(uid === '' ? {} : { 'impersonate-uid': headerText(uid) }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.map(headerText) }),
    ...Object.fromEntries(
      [...extra].map(([key, values]) => [`impersonate-extra-${headerKey(key)}`, values.map(headerText)]),
    ),
  };
}
