// Connects the web console to the pipeline.

import type { Authenticator } from '../authn/authenticator.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { ConsolePages } from '../console/console-pages.ts';
import { consoleSession } from '../console/console-session.ts';
import { Sessions } from '../console/sessions.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { administrator } from '../pki/identity.ts';
import type { LoggedConfig } from './server-log.ts';
import type { ServingRole } from './threads/serving-role.ts';

interface Console {
  readonly authenticators: readonly Authenticator[];
  answer(exchange: Exchange): MaybePromise<ApiResponse | undefined>;
}

/** A serving thread accepts the sessions of the main thread. */
export function sessionsOf({ serving, clock }: LoggedConfig, role: ServingRole | undefined): Sessions | undefined {
  return serving.hasConsole ? new Sessions(clock, role?.sessionMemory) : undefined;
}

export function consoleOf(sessions: Sessions | undefined): Console | undefined {
  if (sessions === undefined) return undefined;
  const pages = new ConsolePages(sessions);
  return {
    authenticators: [consoleSession(sessions, administrator)],
    answer: function console(exchange) {
      return pages.answer(exchange);
    },
  };
}

/** A link to sign in as the administrator, once the server listens. The code stands where browsers do not send it and servers do not log it. */
export function signInLink<Url extends string | undefined>(url: Url, sessions: Sessions): Url | string {
  return url === undefined ? url : `${url}/ui/#link=${sessions.createLink()}`;
}
