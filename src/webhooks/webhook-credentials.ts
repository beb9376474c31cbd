// As what this server calls webhooks: users of a kubeconfig, by the host they are for.

import type { Clock } from '../base/clock.ts';
import { type CredentialSource, standingCredentials } from '../client/credentials.ts';
import type { Kubeconfig, UserEntry } from '../client/kubeconfig/kubeconfig.ts';

export type HostCredentials = (host: string, port: number) => CredentialSource | undefined;

const usualPort = 443;

/** Entries are named `host:port`, `host`, `*.suffix` or `*`; those of the usual port may leave it out. */
export function hostCredentials(config: Kubeconfig, clock: Clock): HostCredentials {
  const sources = new Map<string, CredentialSource>();
  for (const [name, user] of config.users) sources.set(name, standingCredentials(checked(name, user), clock));
  const current = config.contexts.get(config.currentContext)?.user ?? '';
  return (host, port) => {
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const names = [...namesFor(target), ...(port === usualPort ? namesFor(host) : []), '*', current];
    const found = names.find((name) => sources.has(name));
    return found === undefined ? undefined : sources.get(found);
  };
}

/** A name itself, then what it ends with, the longest first. */
function namesFor(target: string): string[] {
  const parts = target.split('.');
  return [target, ...parts.slice(1).map((_, index) => `*.${parts.slice(index + 1).join('.')}`)];
}

function checked(name: string, user: UserEntry): UserEntry {
  const no = (what: string) => new Error(`user ${JSON.stringify(name)}: ${what}`);
  if (user.authProvider !== undefined) throw no('auth provider not supported');
  if (user.exec !== undefined) throw no('credentials of plugins are not supported for webhooks');
  return user;
}
