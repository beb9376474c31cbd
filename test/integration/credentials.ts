// The administrator's certificate, out of the kubeconfig a server writes.

import { parse } from 'yaml';

export interface Credentials {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export function credentialsOf(kubeconfig: string): Credentials {
  const { clusters, users } = parse(kubeconfig) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
  };
  const decode = (text = '') => Buffer.from(text, 'base64');
  return {
    ca: decode(clusters[0]?.cluster['certificate-authority-data']),
    cert: decode(users[0]?.user['client-certificate-data']),
    key: decode(users[0]?.user['client-key-data']),
  };
}
