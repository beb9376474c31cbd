// Which cluster, as which user: one context of a kubeconfig, checked.

import { getOwn } from '../../base/json/json.ts';
import { type BasePath, basePathOf, brokenEscape, pathOfUrl } from '../../base/text/go-url-path.ts';
import { type ClusterEntry, type Kubeconfig, KubeconfigError, type UserEntry } from './kubeconfig.ts';

export interface Target {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** The server's address. */
  readonly url: URL;
  /** The path of that address. */
  readonly path: BasePath;
  readonly proxy: URL | undefined;
  /** The namespace to work in; empty when the context has none. */
  readonly namespace: string;
}

const proxySchemes: readonly string[] = ['http:', 'https:', 'socks5:'];

/** Throws a KubeconfigError when the context cannot be used. Without a name it is the current one. */
export function targetOf(config: Kubeconfig, contextName = config.currentContext): Target {
  if (contextName === '') throw new KubeconfigError('no context is chosen: current-context is not set');
  const context = config.contexts.get(contextName);
  if (context === undefined) throw new KubeconfigError(`there is no context ${JSON.stringify(contextName)}`);
  const cluster = config.clusters.get(context.cluster);
  if (cluster === undefined) throw missing('cluster', context.cluster, contextName);
  const user = context.user === '' ? noUser : config.users.get(context.user);
  if (user === undefined) throw missing('user', context.user, contextName);
  checkCluster(cluster, context.cluster);
  checkUser(user, context.user);
  return {
    cluster,
    user,
    ...serverAddress(cluster, user, context.cluster),
    proxy: cluster.proxyUrl === '' ? undefined : proxyUrl(cluster.proxyUrl, context.cluster),
    namespace: context.namespace,
  };
}

const noUser: UserEntry = {
  clientCertificate: '',
  clientCertificateData: '',
  clientKey: '',
  clientKeyData: '',
  token: '',
  tokenFile: '',
  username: '',
  password: '',
  impersonate: { user: '', uid: '', groups: [], extra: new Map() },
  authProvider: undefined,
  exec: undefined,
};

const missing = (what: string, name: string, context: string) =>
  new KubeconfigError(`there is no ${what} ${JSON.stringify(name)}, which context ${JSON.stringify(context)} names`);

/** Throws when `wrong`, saying whose entry it is. */
function refuse(wrong: boolean, what: 'cluster' | 'user', name: string, message: string): void {
  if (wrong) throw new KubeconfigError(`${what} ${JSON.stringify(name)}: ${message}`);
}

function checkCluster(cluster: ClusterEntry, name: string): void {
  const { certificateAuthority: file, certificateAuthorityData: data, insecureSkipTlsVerify: insecure } = cluster;
  refuse(cluster.server === '', 'cluster', name, 'has no server');
  refuse(file !== '' && data !== '', 'cluster', name, 'has both certificate-authority and certificate-authority-data');
  refuse(
    insecure && (file !== '' || data !== ''),
    'cluster',
    name,
    'insecure-skip-tls-verify contradicts its authority',
  );
}

function checkUser(user: UserEntry, name: string): void {
  const hasCertificate = user.clientCertificate !== '' || user.clientCertificateData !== '';
  const hasKey = user.clientKey !== '' || user.clientKeyData !== '';
  const { impersonate: as } = user;
  const no = (wrong: boolean, message: string) => refuse(wrong, 'user', name, message);
  no(user.clientCertificate !== '' && user.clientCertificateData !== '', 'has its client certificate twice');
  no(user.clientKey !== '' && user.clientKeyData !== '', 'has its client key twice');
  no(hasCertificate !== hasKey, 'client-certificate and client-key need each other');
  no((user.token !== '' || user.tokenFile !== '') && user.username !== '', 'has both a token and a user name');
  const { authProvider: provider } = user;
  no(
    provider !== undefined && provider.name !== 'oidc',
    'auth-provider is no longer supported, but for oidc; use an exec plugin instead',
  );
  no(
    as.user === '' && (as.uid !== '' || as.groups.length > 0 || as.extra.size > 0),
    'as-uid, as-groups and as-user-extra need as',
  );
  if (user.exec !== undefined) checkExec(user, name);
}

const interactiveModes: readonly string[] = ['Never', 'IfAvailable', 'Always'];

function checkExec({ exec }: UserEntry, name: string): void {
  if (exec === undefined) return;
  const no = (wrong: boolean, message: string) => refuse(wrong, 'user', name, `exec: ${message}`);
  const { command, apiVersion, env, interactiveMode } = exec;
  no(command === '', 'command is needed');
  no(apiVersion === '', 'apiVersion is needed');
  no(
    env.some((one) => one.name === ''),
    'every variable of env needs a name',
  );
  no(interactiveMode === '' && !apiVersion.endsWith('/v1beta1'), 'interactiveMode is needed');
  no(
    interactiveMode !== '' && !interactiveModes.includes(interactiveMode),
    `interactiveMode is ${JSON.stringify(interactiveMode)}, not one of ${interactiveModes.join(', ')}`,
  );
}

/** An address without a scheme is secure where there is anything to secure it with. */
function serverAddress(cluster: ClusterEntry, user: UserEntry, name: string): Pick<Target, 'url' | 'path'> {
  const isSecure =
    cluster.insecureSkipTlsVerify ||
    cluster.certificateAuthority + cluster.certificateAuthorityData !== '' ||
    user.clientCertificate + user.clientCertificateData !== '';
  const { server } = cluster;
  const text = server.includes('://') ? server : `${isSecure ? 'https' : 'http'}://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || getOwn(defaultPorts, url.protocol) === undefined)
    throw new KubeconfigError(`cluster ${JSON.stringify(name)}: server is not an http or https address`);
  refuse(url.username !== '' || url.password !== '', 'cluster', name, 'credentials do not belong into server');
  const path = pathOfUrl(text);
  refuse(brokenEscape(path) !== undefined, 'cluster', name, `server has a broken escape, ${brokenEscape(path)}`);
  return { url, path: basePathOf(path) };
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/** The port of an address, or the default of its protocol. */
export const portOf = (url: URL): number => (url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port));

/** The host of an address as connections want it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function proxyUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && proxySchemes.includes(url.protocol)) return url;
  throw new KubeconfigError(
    `cluster ${JSON.stringify(name)}: proxy-url is not an address with one of ${proxySchemes.join(', ')}`,
  );
}
