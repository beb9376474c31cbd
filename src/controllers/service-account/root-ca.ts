// Publishes the CA of the server in every active namespace, for programs that have to trust it.

import { isDeepStrictEqual } from 'node:util';
import { labelKey } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { objectPerNamespace } from './per-namespace.ts';

/** `rootCa` gives the PEM of the CA. */
export function rootCaPublisher(context: ControllerContext, rootCa: () => string): Controller {
  const { dialect } = context;
  const description = labelKey(dialect, 'description');
  const data = () => ({ 'ca.crt': rootCa() });
  return objectPerNamespace(context, {
    queue: 'root_ca_cert_publisher',
    plural: 'configmaps',
    name: dialect.rootCaConfigMap,
    isRight: (object) =>
      isDeepStrictEqual(object['data'], data()) && object.metadata.annotations?.[description] !== undefined,
    desired: (existing) => ({
      ...(existing ?? ({ kind: 'ConfigMap', apiVersion: 'v1' } as ApiObject)),
      metadata: {
        ...existing?.metadata,
        name: dialect.rootCaConfigMap,
        annotations: { ...existing?.metadata.annotations, [description]: dialect.rootCaDescription },
      },
      data: data(),
    }),
  });
}
