// Where a webhook is, as configurations say it, and the address that connections to it are made with.

import { hostOf, portOf } from '../client/kubeconfig/target.ts';
import { WebhookCallError } from './webhook-failure.ts';

interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** 443 when not given. */
  readonly port?: number;
}

/** A `clientConfig` as it is stored: an address or a service, never both. */
export interface WebhookTarget {
  readonly url?: string;
  readonly service?: ServiceTarget;
  /** Base64 of the PEM certificates that may have signed the webhook's; the system's roots when not given. */
  readonly caBundle?: string;
}

export interface WebhookPlace {
  /** What is called, without a query. */
  readonly url: URL;
  /** The name or address that the webhook's certificate has to be for. */
  readonly host: string;
  readonly port: number;
  readonly service: ServiceTarget | undefined;
}

const defaultPort = 443;

export function placeOf({ url: text, service }: WebhookTarget): WebhookPlace {
  if (service !== undefined) return servicePlace(service);
  if (text === undefined || text === '') throw unusable('webhook configuration must have either service or URL');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw unusable(`Unparsable URL: ${JSON.stringify(text)}`);
  if (url.protocol !== 'https:') throw unusable(`'https' is the only allowed URL scheme, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') throw unusable('user information is not permitted in the URL');
  return { url, host: hostOf(url), port: portOf(url), service: undefined };
}

function servicePlace(service: ServiceTarget): WebhookPlace {
  const { namespace, name, path = '/', port = defaultPort } = service;
  const host = `${name}.${namespace}.svc`;
  const text = `https://${host}:${port}`;
  if (!URL.canParse(text)) throw unusable(`there can be no service ${JSON.stringify(`${namespace}/${name}`)}`);
  const url = new URL(text);
  // assigned, so that a path can never change the host
  url.pathname = path;
  return { url, host, port, service };
}

/** The address as messages show it: with the port of a service, even if it is the usual one. */
export function shownUrl({ url, host, port, service }: WebhookPlace, query: string): string {
  return `https://${service === undefined ? url.host : `${host}:${port}`}${url.pathname}${query}`;
}

/** The configuration itself is wrong. */
const unusable = (message: string) => new WebhookCallError(message, { code: 500 });
