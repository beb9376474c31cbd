// As what this server calls webhooks: users of a kubeconfig, by the host they are for.

import { credentialsOf } from '../client/credential-source.ts';
import { type CredentialSource, impersonationHeaders } from '../client/credentials.ts';
import { checkExecVersion } from '../client/exec/exec-credential.ts';
import type { ExecSettings } from '../client/exec/exec-source.ts';
import type { ClusterEntry, Kubeconfig, UserEntry } from '../client/kubeconfig/kubeconfig.ts';

/** As what a host is called. */
export interface HostUser {
  readonly source: CredentialSource;
  /** Headers of the user that the server acts as, where the user of the kubeconfig impersonates another one. */
  readonly headers: Readonly<Record<string, string | string[]>>;
}

interface Host {
  readonly host: string;
  readonly port: number;
  /** PEM in base64. */
  readonly caBundle: string;
}

export type HostCredentials = (called: Host) => HostUser | undefined;

const usualPort = 443;
/** Hosts whose own credentials of a plugin are kept. */
const mostHosts = 256;

/** Entries are named `host:port`, `host`, `*.suffix` or `*`; those of the usual port may leave it out. */
export function hostCredentials(
  config: Kubeconfig,
  settings: Pick<ExecSettings, 'clock' | 'dialect' | 'environment'>,
): HostCredentials {
  const execSettings = { ...settings, mayAskUser: false, showsErrors: true };
  for (const [name, user] of config.users) check(name, user, settings);
  const users = new Map<string, HostUser>();
  const current = config.contexts.get(config.currentContext)?.user ?? '';
  return ({ host, port, caBundle }) => {
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const names = [...namesFor(target), ...(port === usualPort ? namesFor(host) : []), '*', current];
    const userName = names.find((name) => config.users.has(name));
    const user = userName === undefined ? undefined : config.users.get(userName);
    if (userName === undefined || user === undefined) return undefined;
    // a plugin may receive the target of its credentials
    const key = JSON.stringify(user.exec?.provideClusterInfo ? [userName, target, caBundle] : [userName]);
    let hostUser = users.get(key);
    if (hostUser === undefined) {
      if (users.size >= mostHosts) users.clear();
      hostUser = userOf(user, clusterOf(target, caBundle), execSettings);
      users.set(key, hostUser);
    }
    return hostUser;
  };
}

const userOf = (user: UserEntry, cluster: ClusterEntry, settings: ExecSettings): HostUser => ({
  source: credentialsOf({ user, cluster }, settings),
  headers: impersonationHeaders(user.impersonate),
});

const clusterOf = (target: string, caBundle: string): ClusterEntry => ({
  server: `https://${target}`,
  tlsServerName: '',
  insecureSkipTlsVerify: false,
  certificateAuthority: '',
  certificateAuthorityData: caBundle,
  proxyUrl: '',
  disableCompression: false,
  extensions: new Map(),
});

/** A name itself, then its suffixes, the longest first. */
function namesFor(target: string): string[] {
  const parts = target.split('.');
  return [target, ...parts.slice(1).map((_, index) => `*.${parts.slice(index + 1).join('.')}`)];
}

/** Errors are reported when the server starts. */
function check(name: string, { authProvider, exec }: UserEntry, { dialect }: Pick<ExecSettings, 'dialect'>): void {
  if (authProvider !== undefined) throw new Error(`user ${JSON.stringify(name)}: auth provider not supported`);
  if (exec !== undefined) checkExecVersion(exec.apiVersion, dialect);
}
