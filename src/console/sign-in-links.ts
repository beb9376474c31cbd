// /debug/keelson/sign-in-links: a new link to sign in to the console, for administrators.

import type { Routes } from '../discovery/routes.ts';
import { forbidden, methodNotAllowed, serviceUnavailable } from '../meta/status.ts';
import { isMaster } from '../meta/user.ts';

/** `createLink` returns undefined while the server does not listen. */
export function addSignInLinks(routes: Routes, createLink: () => string | undefined): void {
  routes.addUnlisted('/debug/keelson/sign-in-links', ({ request, user, impersonator }) => {
    if (request.method !== 'POST') throw methodNotAllowed();
    // the link makes its user an administrator: the right to a path is not enough
    if (!isMaster(user) || impersonator !== undefined) throw refusal();
    const link = createLink();
    if (link === undefined) throw serviceUnavailable('the server does not listen');
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return { status: 201, headers, body: JSON.stringify({ link }) };
  });
}

const refusal = () =>
  forbidden({ group: '', resource: '', name: '' }, 'links to sign in are made for administrators only, as themselves');
