// The content of a kubeconfig: clusters, users, and contexts that pair them.

import type { JsonValue } from '../../base/json/json.ts';

export interface ClusterEntry {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  /** Path of a PEM file. */
  readonly certificateAuthority: string;
  /** PEM in base64. */
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  readonly extensions: ReadonlyMap<string, JsonValue>;
}

export interface ExecEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export interface ImpersonationEntry {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

export interface UserEntry {
  readonly clientCertificate: string;
  readonly clientCertificateData: string;
  readonly clientKey: string;
  readonly clientKeyData: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly impersonate: ImpersonationEntry;
  readonly authProvider: AuthProviderEntry | undefined;
  readonly exec: ExecEntry | undefined;
}

/** A login helper that is built into clients, with its settings. */
export interface AuthProviderEntry {
  readonly name: string;
  readonly config: ReadonlyMap<string, string>;
}

export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

export const emptyKubeconfig: Kubeconfig = {
  currentContext: '',
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
};

/** Something in a kubeconfig that cannot be used; the text never contains credentials. */
export class KubeconfigError extends Error {}

/** Several files as one: the first file that has an entry decides, entry by entry. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const entries = <T>(of: (config: Kubeconfig) => ReadonlyMap<string, T>) =>
    new Map(configs.toReversed().flatMap((config) => [...of(config)]));
  return {
    currentContext: configs.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    clusters: entries(({ clusters }) => clusters),
    users: entries(({ users }) => users),
    contexts: entries(({ contexts }) => contexts),
  };
}
