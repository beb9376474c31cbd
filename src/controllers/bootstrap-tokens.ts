// Deletes bootstrap tokens that have expired (spec: Bootstrap token).

import type { ApiObject } from '../meta/object.ts';
import type { ControllerFactory } from './controller.ts';
import { expiryController } from './expiry.ts';
import { mentions, only } from './object-feed.ts';

/** A time that cannot be read ends nothing: such a token is not accepted either. */
export function endOfToken(object: ApiObject): number | undefined {
  const encoded = (object['data'] as Readonly<Record<string, string>> | undefined)?.['expiration'];
  if (encoded === undefined) return undefined;
  const end = Date.parse(Buffer.from(encoded, 'base64').toString());
  return Number.isNaN(end) ? undefined : end;
}

export const bootstrapTokenCleaner: ControllerFactory = (context) => {
  const { dialect } = context;
  const type = `"type":${JSON.stringify(`bootstrap.${dialect.labelDomain}/token`)}`;
  return expiryController(context, {
    queue: 'token_cleaner',
    wants: only('', 'secrets'),
    mayExpire: ({ namespace, json }) => namespace === dialect.systemNamespace && mentions(json, type),
    endOf: endOfToken,
    propagationPolicy: 'Background',
  });
};
