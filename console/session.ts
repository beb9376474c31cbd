// Signing in and out. Three ways in: a one-time link, a token, a certificate of the browser.

import { getJson, messageOf, RequestFailure, sendJson } from './api.ts';
import { credentials, keepBearer, keepPageToken, notice, signedOut, type User, user } from './credentials.ts';
import { apiVersionOf, collectionPath, discover, kinds } from './discovery.ts';

/** Uses the link in the address, if there is one, and asks the server for the user of this browser. */
export async function start(): Promise<void> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link !== undefined) {
    // neither the history nor a reload uses it again
    history.replaceState(null, '', location.pathname);
    await openLink(link);
  }
  await identify();
}

async function openLink(link: string): Promise<void> {
  try {
    const { pageToken } = await sendJson<{ readonly pageToken: string }>('POST', '/ui/session', { link });
    keepPageToken(pageToken);
  } catch (error) {
    notice.value = `The link does not work: ${messageOf(error)}.`;
  }
}

export async function signInWithToken(token: string): Promise<void> {
  keepBearer(token);
  notice.value = '';
  await identify();
  if (user.value === null) notice.value = 'The server does not accept this token.';
}

async function identify(): Promise<void> {
  try {
    await discover();
    user.value = await currentUser();
  } catch (error) {
    const isRefusal = error instanceof RequestFailure && [401, 403].includes(error.status);
    if (!isRefusal) notice.value = messageOf(error);
    // without credentials there is nothing to report
    signedOut('');
  }
  if (user.value?.groups?.includes('system:unauthenticated')) signedOut('');
}

async function currentUser(): Promise<User> {
  const review = kinds.value.find(({ kind }) => kind === 'SelfSubjectReview');
  if (review === undefined) return { username: '' };
  const asked = { apiVersion: apiVersionOf(review), kind: review.kind };
  const { status } = await sendJson<{ readonly status: { readonly userInfo: User } }>(
    'POST',
    collectionPath(review),
    asked,
  );
  return status.userInfo;
}

export async function signOut(): Promise<void> {
  await fetch('/ui/session', { method: 'DELETE', headers: credentials() });
  signedOut('You are signed out.');
}

export const serverVersion = () => getJson<{ readonly gitVersion: string }>('/version');
