// The keys that an issuer publishes.

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { algorithmsOf, type VerificationKey } from '../jwt.ts';

/** A token without a key's name is checked with every key. */
const maxKeys = 100;
/** Shorter ones can be broken. */
const minRsaBits = 2048;
/** Checking a signature takes time in proportion to the length of the exponent; Go, too, knows none that are longer. */
const maxExponent = 2n ** 31n - 1n;

/** The keys that can verify signatures; others of the set are ignored. Throws if the value is not a key set. */
export function parseKeySet(value: JsonValue): readonly VerificationKey[] {
  const keys = isJsonObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('this is no key set');
  return keys.slice(0, maxKeys).flatMap((key) => (isJsonObject(key) ? keyOf(key) : []));
}

function keyOf(jwk: JsonObject): readonly VerificationKey[] {
  const { use = 'sig', alg, kid = '' } = jwk;
  const publicKey = use === 'sig' ? readKey(jwk) : undefined;
  if (publicKey === undefined) return [];
  const algorithms = algorithmsOf(publicKey).filter((one) => alg === undefined || one === alg);
  return algorithms.length === 0 ? [] : [{ id: String(kid), algorithms, publicKey }];
}

const members = ['kty', 'n', 'e', 'crv', 'x', 'y'];

function readKey(jwk: JsonObject): KeyObject | undefined {
  if (jwk['kty'] !== 'RSA' && jwk['kty'] !== 'EC') return undefined;
  try {
    const key = Object.fromEntries(members.map((name) => [name, jwk[name]])) as JsonWebKey;
    const publicKey = createPublicKey({ key, format: 'jwk' });
    const { modulusLength = minRsaBits, publicExponent = 0n } = publicKey.asymmetricKeyDetails ?? {};
    return modulusLength < minRsaBits || publicExponent > maxExponent ? undefined : publicKey;
  } catch {
    return undefined;
  }
}
