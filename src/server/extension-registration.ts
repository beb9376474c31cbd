// How an extension API server is known to the cluster: the names in its certificate, and the APIServices that lead to it.

import type { ExtensionConfig } from '../config/extension-options.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';

/** Not the name of the cluster's own service, by which API servers are told from others. */
export function extensionHosts({ service: { name, namespace } }: ExtensionConfig, bindAddress: string): string[] {
  const isAny = bindAddress === '0.0.0.0' || bindAddress === '::';
  const local = ['localhost', '127.0.0.1', '::1', ...(isAny ? [] : [bindAddress])];
  return [...new Set([`${name}.${namespace}.svc`, `${name}.${namespace}`, ...local])];
}

const usualPriority = { groupPriorityMinimum: 1000, versionPriority: 100 };

/** `ca` is the PEM that the server's certificate is checked with. */
export function apiServicesOf({ definitions, service }: ExtensionConfig, ca: string, dialect: Dialect): ApiObject[] {
  const served = definitions.flatMap(({ spec = {} }) =>
    (spec.versions ?? []).filter((one) => one.served).map(({ name = '' }) => `${name}.${spec.group}`),
  );
  return [...new Set(served)].map((name) => ({
    kind: 'APIService',
    apiVersion: `${apiGroup(dialect, 'apiregistration')}/v1`,
    metadata: { name },
    spec: {
      group: name.slice(name.indexOf('.') + 1),
      version: name.slice(0, name.indexOf('.')),
      service,
      caBundle: Buffer.from(ca).toString('base64'),
      ...usualPriority,
    },
  }));
}
