// Tokens from a file: token, user, uid and groups, separated by commas.

import { createHash } from 'node:crypto';
import type { UserInfo } from '../meta/user.ts';
import { forServer, type TokenAuthenticator } from './token-authenticator.ts';

/** Tokens are looked up by hash, so that the time of a lookup reveals nothing about them. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');

export type StaticTokens = ReadonlyMap<string, UserInfo>;

/** Throws an error that names the line. */
export function parseTokenFile(text: string): StaticTokens {
  const tokens = new Map<string, UserInfo>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '') return;
    const columns = parseColumns(line);
    if (columns === undefined || columns.length < 3)
      throw new Error(`line ${index + 1}: a token, a user name and a uid are needed, separated by commas`);
    const [token = '', name = '', uid = '', groups = ''] = columns;
    if (token === '') return;
    const list = groups
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== '');
    tokens.set(hashOf(token), { name, uid, groups: list });
  });
  return tokens;
}

/** A column in double quotes may hold commas; two quotes stand for one. Undefined when a quote is left open. */
function parseColumns(line: string): string[] | undefined {
  const columns: string[] = [];
  let rest = line;
  for (;;) {
    const match = /^\s*"((?:[^"]|"")*)"(?:,|$)/.exec(rest) ?? /^([^",]*)(?:,|$)/.exec(rest);
    if (match === null) return undefined;
    columns.push((match[1] ?? '').replaceAll('""', '"').trim());
    if (!match[0].endsWith(',')) return columns;
    rest = rest.slice(match[0].length);
  }
}

export function staticTokens(tokens: StaticTokens, audiences: readonly string[]): TokenAuthenticator {
  return (token, requestedAudiences) => {
    const user = tokens.get(hashOf(token));
    return user && forServer(user, audiences, requestedAudiences);
  };
}
