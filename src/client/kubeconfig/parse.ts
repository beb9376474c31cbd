// A decoded kubeconfig document as typed entries; relative paths become absolute.

import { isAbsolute, join, sep } from 'node:path';
import type { JsonValue } from '../../base/json/json.ts';
import { FieldTypeError, JsonFields } from '../../base/json/json-fields.ts';
import {
  type AuthProviderEntry,
  type ClusterEntry,
  type ContextEntry,
  type ExecEntry,
  type ImpersonationEntry,
  type Kubeconfig,
  KubeconfigError,
  type UserEntry,
} from './kubeconfig.ts';

/** `folder` is where relative paths begin: that of the file. */
export function parseKubeconfig(document: JsonValue, folder: string): Kubeconfig {
  try {
    const root = JsonFields.of(document, '');
    checkKind(root);
    return {
      currentContext: root.text('current-context'),
      clusters: named(root, 'clusters', 'cluster', (fields) => clusterOf(fields, folder)),
      users: named(root, 'users', 'user', (fields) => userOf(fields, folder)),
      contexts: named(root, 'contexts', 'context', contextOf),
    };
  } catch (error) {
    throw error instanceof FieldTypeError ? new KubeconfigError(error.message) : error;
  }
}

function checkKind(root: JsonFields): void {
  const kind = root.text('kind') || 'Config';
  const version = root.text('apiVersion') || 'v1';
  if (kind !== 'Config' || version !== 'v1')
    throw new KubeconfigError(`a Config of v1 is needed, not ${kind} of ${version}`);
}

function named<T>(
  root: JsonFields,
  list: string,
  member: string,
  read: (fields: JsonFields) => T,
): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  for (const item of root.objects(list)) {
    const name = item.text('name');
    if (byName.has(name)) throw new KubeconfigError(`${item.path}: there are two of the name ${JSON.stringify(name)}`);
    byName.set(name, read(item.object(member) ?? JsonFields.of({}, item.at(member))));
  }
  return byName;
}

function clusterOf(fields: JsonFields, folder: string): ClusterEntry {
  return {
    server: fields.text('server'),
    tlsServerName: fields.text('tls-server-name'),
    insecureSkipTlsVerify: fields.flag('insecure-skip-tls-verify'),
    certificateAuthority: inFolder(folder, fields.text('certificate-authority')),
    certificateAuthorityData: fields.text('certificate-authority-data'),
    proxyUrl: fields.text('proxy-url'),
    disableCompression: fields.flag('disable-compression'),
    extensions: new Map(fields.objects('extensions').map((one) => [one.text('name'), one.value('extension') ?? null])),
  };
}

const contextOf = (fields: JsonFields): ContextEntry => ({
  cluster: fields.text('cluster'),
  user: fields.text('user'),
  namespace: fields.text('namespace'),
});

function userOf(fields: JsonFields, folder: string): UserEntry {
  const exec = fields.object('exec');
  const provider = fields.object('auth-provider');
  return {
    clientCertificate: inFolder(folder, fields.text('client-certificate')),
    clientCertificateData: fields.text('client-certificate-data'),
    clientKey: inFolder(folder, fields.text('client-key')),
    clientKeyData: fields.text('client-key-data'),
    token: fields.text('token'),
    tokenFile: inFolder(folder, fields.text('tokenFile')),
    username: fields.text('username'),
    password: fields.text('password'),
    impersonate: impersonationOf(fields),
    authProvider: provider && providerOf(provider, folder),
    exec: exec && execOf(exec, folder),
  };
}

function providerOf(fields: JsonFields, folder: string): AuthProviderEntry {
  const config = fields.object('config');
  const file = 'idp-certificate-authority';
  const value = (name: string) =>
    name === file ? inFolder(folder, config?.text(name) ?? '') : (config?.text(name) ?? '');
  return { name: fields.text('name'), config: new Map(config?.names.map((name) => [name, value(name)])) };
}

function impersonationOf(fields: JsonFields): ImpersonationEntry {
  const extra = fields.object('as-user-extra');
  return {
    user: fields.text('as'),
    uid: fields.text('as-uid'),
    groups: fields.texts('as-groups'),
    extra: new Map(extra?.names.map((name) => [name, extra.texts(name)])),
  };
}

function execOf(fields: JsonFields, folder: string): ExecEntry {
  const command = fields.text('command');
  return {
    // a bare name is looked for where programs are
    command: command.includes(sep) ? inFolder(folder, command) : command,
    args: fields.texts('args'),
    env: fields.objects('env').map((one) => ({ name: one.text('name'), value: one.text('value') })),
    apiVersion: fields.text('apiVersion'),
    installHint: fields.text('installHint'),
    provideClusterInfo: fields.flag('provideClusterInfo'),
    interactiveMode: fields.text('interactiveMode'),
  };
}

const inFolder = (folder: string, path: string) => (path === '' || isAbsolute(path) ? path : join(folder, path));
