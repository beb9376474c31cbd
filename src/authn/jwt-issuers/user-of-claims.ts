// The user that the claims of a verified token describe, and the rules that both have to keep.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { forEachInTurns } from '../../base/time/turns.ts';
import type { UserInfo } from '../../meta/user.ts';
import { notOfType } from '../../wording/type-mismatch.ts';
import type { Claims } from '../jwt.ts';
import { TokenError } from '../token-authenticator.ts';
import type { JwtAuthenticator, Rule, Source } from './compile.ts';
import type { Expression } from './expression.ts';

/** Throws a TokenError for claims that make no user, or none that is let in. */
export async function userOfClaims(claims: Claims, authenticator: JwtAuthenticator): Promise<UserInfo> {
  // in this order: only the first fault of a token is reported
  const name = await usernameOf(claims, authenticator.username);
  const groups = await groupsOf(claims, authenticator.groups);
  const uid = authenticator.uid && (await textOf(authenticator.uid, claims, 'uid'));
  const extra = { ...credentialId(claims, authenticator), ...(await extraOf(claims, authenticator.extra)) };
  const user: UserInfo = {
    name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    groups,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  for (const { claim, value } of authenticator.requiredClaims) requireClaim(claims, claim, value);
  await checkRules(authenticator.claimRules, claims, 'claim validation expression');
  await checkRules(authenticator.userRules, userAsJson(user), 'user info validation rule');
  return user;
}

/** By which the token can be found again in the records of its issuer. */
function credentialId(claims: Claims, { credentialIdKey }: JwtAuthenticator): Record<string, readonly string[]> {
  const id = getOwn(claims, 'jti');
  return typeof id === 'string' && id !== '' ? { [credentialIdKey]: [`JTI=${id}`] } : {};
}

async function usernameOf(claims: Claims, source: Source): Promise<string> {
  const name = await textOf(source, claims, 'username');
  const verified = getOwn(claims, 'email_verified');
  // an unverified address is no name; without the claim, the issuer vouches for the address
  if (source.claim === 'email' && verified !== undefined && verified !== true)
    throw new TokenError(
      typeof verified === 'boolean' || verified === null
        ? 'oidc: email not verified'
        : `oidc: parse 'email_verified' claim: ${notOfType(verified, 'bool')}`,
    );
  if (name === '') throw new TokenError('oidc: the username is empty');
  return source.expression === undefined ? `${source.prefix}${name}` : name;
}

async function textOf(source: Source, claims: Claims, what: string): Promise<string> {
  const value = source.expression
    ? await evaluate(source.expression, claims, `oidc: error evaluating ${what} claim expression: `)
    : (getOwn(claims, source.claim) as unknown);
  if (typeof value === 'string') return value;
  if (source.expression)
    throw new TokenError(
      `oidc: error evaluating ${what} claim expression: ${what} claim expression must return a string`,
    );
  if (value === null) return '';
  const why = value === undefined ? 'claim not present' : notOfType(value, 'string');
  const claim = `${what === 'username' ? 'claims' : 'claim'} ${JSON.stringify(source.claim)}`;
  throw new TokenError(`oidc: parse ${what} ${claim}: ${why}`);
}

async function groupsOf(claims: Claims, source: Source | undefined): Promise<readonly string[]> {
  if (source === undefined) return [];
  const trouble = 'oidc: error evaluating group claim expression: ';
  if (source.expression) return listOf(await evaluate(source.expression, claims, trouble), trouble);
  const value = getOwn(claims, source.claim) ?? [];
  // some issuers have one group, and no list of it
  const groups = [value].flat() as JsonValue[];
  if (!groups.every((group) => typeof group === 'string'))
    throw new TokenError(`oidc: parse groups claim ${JSON.stringify(source.claim)}: ${notOfType(value, 'string')}`);
  return groups.map((group) => `${source.prefix}${group}`);
}

async function extraOf(
  claims: Claims,
  mappings: JwtAuthenticator['extra'],
): Promise<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {};
  for (const { key, expression } of mappings) {
    // an extra that cannot be computed is reported without its key, as in kube-apiserver
    const trouble = `oidc: error evaluating extra claim expression: ${expression.source}: `;
    const values = listOf(await evaluate(expression, claims, ''), trouble);
    if (values.length > 0) setOwn(extra, key, values);
  }
  return extra;
}

/** A text or a list of them; null and empty texts stand for nothing. */
function listOf(value: unknown, trouble: string): readonly string[] {
  const list: unknown[] = value === null ? [] : [value].flat();
  if (list.every((one) => typeof one === 'string')) return list.filter((one) => one !== '');
  throw new TokenError(`${trouble}expression must return a string or a list of strings`);
}

function requireClaim(claims: Claims, claim: string, requiredValue: string): void {
  const value = getOwn(claims, claim);
  if (value === undefined) throw new TokenError(`oidc: required claim ${claim} not present in ID token`);
  const text = value ?? '';
  if (typeof text !== 'string') throw new TokenError(`oidc: parse claim ${claim}: ${notOfType(text, 'string')}`);
  if (text !== requiredValue)
    throw new TokenError(`oidc: required claim ${claim} value does not match. Got = ${text}, want = ${requiredValue}`);
}

async function checkRules(rules: readonly Rule[], about: Readonly<JsonObject>, what: string): Promise<void> {
  await forEachInTurns(rules, async ({ expression, message }) => {
    const value = await evaluate(expression, about, `oidc: error evaluating ${what}: `);
    if (value === true) return;
    const why =
      value === false
        ? `validation expression '${expression.source}' failed: ${message}`
        : 'validation expression must return a boolean';
    throw new TokenError(`oidc: error evaluating ${what}: ${why}`);
  });
}

async function evaluate(expression: Expression, about: Readonly<JsonObject>, trouble: string): Promise<unknown> {
  try {
    return await expression.evaluate(about);
  } catch (error) {
    throw new TokenError(`${trouble}expression '${expression.source}' resulted in error: ${(error as Error).message}`);
  }
}

/** The user as expressions see one: every field is there. */
function userAsJson({ name, uid = '', groups, extra = {} }: UserInfo): JsonObject {
  const lists: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) setOwn(lists, key, [...values]);
  return { username: name, uid, groups: [...groups], extra: lists };
}

/** The issuer that a token names; for an issuer with two spellings, the configured one. */
export function issuerOf(claims: unknown): string | undefined {
  const issuer = isJsonObject(claims) ? claims['iss'] : undefined;
  if (typeof issuer !== 'string') return undefined;
  return issuer === 'accounts.google.com' ? `https://${issuer}` : issuer;
}
