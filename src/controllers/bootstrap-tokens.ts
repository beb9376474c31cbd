// Deletes bootstrap tokens that have expired (spec: Bootstrap token).

import { bootstrapTokenType } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { normalizeTime } from '../meta/time.ts';
import type { ControllerFactory } from './controller.ts';
import { expiryController } from './expiry.ts';
import { mentioning, only } from './object-feed.ts';

/** In milliseconds since the epoch; undefined for never. A time that cannot be read has passed. */
export function endOfToken(object: ApiObject): number | undefined {
  const encoded = (object['data'] as Readonly<Record<string, string>> | undefined)?.['expiration'];
  const text = Buffer.from(encoded ?? '', 'base64').toString();
  if (text === '') return undefined;
  return normalizeTime(text) === undefined ? 0 : Date.parse(text);
}

export const bootstrapTokenCleaner: ControllerFactory = (context) => {
  const { dialect } = context;
  const isToken = mentioning(`"type":${JSON.stringify(bootstrapTokenType(dialect))}`);
  return expiryController(context, {
    queue: 'token_cleaner',
    wants: only('', 'secrets'),
    mayExpire: ({ namespace, json }) => namespace === dialect.systemNamespace && isToken(json),
    endOf: endOfToken,
    propagationPolicy: 'Background',
  });
};
