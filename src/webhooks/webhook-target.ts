// Where a webhook is, as configurations say it, and the address that connections to it are made with.

import { brokenEscape, cleanedPath, decodedPath, encodedPath, pathBytes, pathOfUrl } from '../base/text/go-url-path.ts';
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
  /** Host and port as the URL has them, with the port of a service even if it is the usual one. */
  readonly authority: string;
  /** The path of the call, without a query: cleaned as kube-apiserver does it. */
  readonly path: string;
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
  const path = pathOfUrl(text);
  const broken = brokenEscape(path);
  if (broken !== undefined) throw unusable(`Unparsable URL: invalid URL escape ${JSON.stringify(broken)}`);
  return {
    authority: url.host,
    path: sentPath(decodedPath(path)),
    host: hostOf(url),
    port: portOf(url),
    service: undefined,
  };
}

/** No empty step, no dot and no slash at the end: what handlers of webhooks are registered for. */
const sentPath = (bytes: string): string => encodedPath(cleanedPath(bytes));

function servicePlace(service: ServiceTarget): WebhookPlace {
  const { namespace, name, path = '/', port = defaultPort } = service;
  const host = `${name}.${namespace}.svc`;
  const authority = `${host}:${port}`;
  if (!URL.canParse(`https://${authority}`))
    throw unusable(`there can be no service ${JSON.stringify(`${namespace}/${name}`)}`);
  // the path of a service has no escapes: a percent sign in it is one
  return { authority, path: sentPath(pathBytes(path)), host, port, service };
}

/** The address as messages show it. */
export const shownUrl = ({ authority, path }: WebhookPlace, query: string): string =>
  `https://${authority}${path}${query}`;

/** The configuration itself is wrong. */
const unusable = (message: string) => new WebhookCallError(message, { code: 500 });
