// The sources of distributed claims that a token names. They are checked in every token, even if no claim is read from them.

import { getOwn, isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { cannotUnmarshal, jsonForm } from '../../wording/type-mismatch.ts';
import type { Claims } from '../jwt.ts';

export const namesClaim = '_claim_names';
export const sourcesClaim = '_claim_sources';

/** Null stands for none. */
export const members = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const isGiven = (value: unknown) => value !== undefined && value !== null;

/** A value of the wrong type, in the words of the reference implementation. */
export function misfitOfSources(claims: Claims): string | undefined {
  const [names, sources] = [getOwn(claims, namesClaim), getOwn(claims, sourcesClaim)];
  const into = (value: unknown, where: string, type: string) =>
    cannotUnmarshal(jsonForm(value), `struct field ${where}`, type);
  if (isGiven(names) && !isJsonObject(names)) return into(names, `idToken.${namesClaim}`, 'map[string]string');
  const name = Object.values(members(names)).find((one) => isGiven(one) && typeof one !== 'string');
  if (name !== undefined) return into(name, `idToken.${namesClaim}`, 'string');
  const at = `idToken.${sourcesClaim}`;
  if (isGiven(sources) && !isJsonObject(sources)) return into(sources, at, 'map[string]oidc.claimSource');
  for (const source of Object.values(members(sources))) {
    if (isGiven(source) && !isJsonObject(source)) return into(source, at, 'oidc.claimSource');
    for (const part of ['endpoint', 'access_token']) {
      const value = getOwn(members(source), part);
      if (isGiven(value) && typeof value !== 'string')
        return into(value, `claimSource.${sourcesClaim}.${part}`, 'string');
    }
  }
  return undefined;
}

/** A name without a source. */
export function missingSource(claims: Claims): string | undefined {
  const sources = members(getOwn(claims, sourcesClaim));
  for (const source of Object.values(members(getOwn(claims, namesClaim)))) {
    if (!source) return 'oidc: failed to obtain source from claim name';
    if (!Object.hasOwn(sources, source as string)) return 'oidc: source does not exist';
  }
  return undefined;
}
