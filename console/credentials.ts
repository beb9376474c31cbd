// The signed-in user, and the credentials that requests carry.

import { signal } from '@preact/signals';

export interface User {
  readonly username: string;
  readonly groups?: readonly string[];
}

/** Undefined until the server has answered; `null` without a user. */
export const user = signal<User | null | undefined>(undefined);

/** Why the sign-in page is shown. */
export const notice = signal('');

/** The page token of a session, for all tabs; without the cookie it opens nothing. */
const storageKey = 'keelson.page';

/** A pasted token stays in the memory of this page. */
let bearer: string | undefined;

export function credentials(): Record<string, string> {
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  const pageToken = localStorage.getItem(storageKey);
  return pageToken === null ? {} : { 'x-keelson-page': pageToken };
}

export function keepPageToken(token: string): void {
  localStorage.setItem(storageKey, token);
}

export function keepBearer(token: string): void {
  bearer = token;
}

export function forgetCredentials(): void {
  bearer = undefined;
  localStorage.removeItem(storageKey);
}

export function signedOut(why: string): void {
  forgetCredentials();
  if (why !== '') notice.value = why;
  user.value = null;
}
