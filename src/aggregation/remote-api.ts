// An APIService as data: a group-version that another server serves.

import { X509Certificate } from 'node:crypto';
import type { APIService } from '../groups/apiregistration/v1/api-service.ts';

export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface RemoteApi {
  /** Of the APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: ServiceRef;
  /** Base64 of the PEM certificates that may have signed the server's; the system's roots when empty. */
  readonly caBundle: string;
  /** The server's certificate is not checked. */
  readonly isInsecure: boolean;
}

const httpsPort = 443;

/** Undefined where this server itself is meant. */
export function remoteApiOf({ metadata, spec }: APIService): RemoteApi | undefined {
  const service = spec?.service;
  if (service === undefined) return undefined;
  return {
    name: metadata.name ?? '',
    group: spec?.group ?? '',
    version: spec?.version ?? '',
    service: { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? httpsPort },
    caBundle: spec?.caBundle ?? '',
    isInsecure: spec?.insecureSkipTLSVerify ?? false,
  };
}

/** The name that the server's certificate has to be for. */
export const serverNameOf = ({ namespace, name }: ServiceRef): string => `${name}.${namespace}.svc`;

/** The CAs of a bundle as PEM, undefined for the system's; throws for one without certificates. */
export function trustedCas({ caBundle }: RemoteApi): string | undefined {
  if (caBundle === '') return undefined;
  const pem = Buffer.from(caBundle, 'base64').toString();
  const unusable = (why: string) => new Error(`unable to load root certificates: ${why}`);
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (certificates === null) throw unusable('unable to parse bytes as PEM block');
  try {
    for (const one of certificates) new X509Certificate(one);
  } catch (error) {
    throw unusable((error as Error).message);
  }
  return certificates.join('\n');
}
