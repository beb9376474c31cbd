// The file that lets kubectl and every client library talk to this server as its administrator.

import type { Identity } from './identity.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

export function kubeconfigFor(url: string, { servingCa, admin }: Identity): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: keelson
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(servingCa)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(admin.certificate)}
    client-key-data: ${base64(admin.privateKey)}
contexts:
- name: keelson
  context:
    cluster: keelson
    user: admin
current-context: keelson
`;
}
