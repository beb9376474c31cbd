// Signatures over the public cluster information, one for each bootstrap token that may sign (spec: Bootstrap token
// signing of a public ConfigMap): detached JWS, HS256.

import { createHmac } from 'node:crypto';
import type { DialectRules } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { endOfToken } from '../bootstrap-tokens.ts';

interface SigningToken {
  readonly id: string;
  readonly secret: string;
  /** In milliseconds since the epoch; undefined for never. */
  readonly end: number | undefined;
}

type Data = Readonly<Record<string, string>>;

const contentKey = 'kubeconfig';
const signatureKey = /^jws-kubeconfig-/;
const secretName = /^bootstrap-token-([a-z0-9]{6})$/;

/** The token in a Secret, if it may sign at this moment. */
export function signingToken(object: ApiObject, now: number): SigningToken | undefined {
  const { name = '', deletionTimestamp } = object.metadata;
  const data = (object['data'] ?? {}) as Data;
  const text = (key: string) => (Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '', 'base64').toString() : '');
  const [, id] = secretName.exec(name) ?? [];
  const secret = text('token-secret');
  const mayBeUsed = deletionTimestamp === undefined && text('usage-bootstrap-signing') === 'true';
  if (id === undefined || text('token-id') !== id || secret === '' || !mayBeUsed) return undefined;
  const end = endOfToken(object);
  return end !== undefined && end <= now ? undefined : { id, secret, end };
}

/** The data with the right signatures and no others; the same value when nothing is to be changed. */
export function signed(data: Data, tokens: readonly SigningToken[], rule: DialectRules['bootstrapSignatureKey']): Data {
  const content = data[contentKey];
  if (content === undefined) return data;
  const next = Object.fromEntries(Object.entries(data).filter(([key]) => !signatureKey.test(key)));
  for (const token of tokens) next[`jws-kubeconfig-${token.id}`] = detachedJws(content, token, rule);
  return isSame(data, next) ? data : next;
}

function isSame(a: Data, b: Data): boolean {
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}

/** What is signed is left out between the dots: the client that checks it has it. */
export function detachedJws(
  content: string,
  { id, secret }: Pick<SigningToken, 'id' | 'secret'>,
  rule: DialectRules['bootstrapSignatureKey'],
): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: id }));
  const key = rule === 'secret' ? secret : `${id}.${secret}`;
  const signature = createHmac('sha256', key)
    .update(`${header}.${base64url(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');
