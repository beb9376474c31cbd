// Where tests, threads and the command take part in what a server does. None of it can be reached by options.

import type { Worker } from 'node:worker_threads';
import type { Handler } from '../../meta/exchange.ts';
import type { Tokens } from '../../meta/tokens.ts';
import type { Interceptor } from '../../pipeline/intercept.ts';
import type { Resources } from '../../registry/resources.ts';
import type { Store } from '../../storage/store.ts';
import type { PassedSocket } from '../../transport/http/listening-sockets.ts';
import type { ServingRole } from '../threads/serving-role.ts';

/** Where a test takes part in what threads do. */
export interface ThreadHooks {
  /** The built program of a thread; that of the build next to this code unless given. */
  readonly program?: URL;
  /** Memory of a thread for objects that live long; as much as the process has unless given. */
  readonly maxHeapMb?: number;
  onStart?(worker: Worker): void;
}

export interface ServerHooks {
  /** The store that the server uses instead of the one it has opened. */
  store?(opened: Store): Store;
  /** How tokens are checked and issued. */
  tokens?(own: Tokens): Tokens;
  readonly interceptor?: Interceptor;
  /** The server is one thread of several. */
  readonly serving?: ServingRole;
  /** The program is the command, where internals of Node may be used. */
  readonly ownsProcess?: boolean;
  /** Sockets that the process was started with, to listen on instead of an address and a port. */
  readonly sockets?: readonly PassedSocket[];
  readonly threads?: ThreadHooks;
}

/** What a server shows to tests. */
export interface ServerParts {
  readonly store: Store;
  readonly resources: Resources;
  /** Answers requests as they come from a transport. */
  readonly handler: Handler;
  /** Resolves when the controllers have done what there was to do, or after a while. */
  settled(): Promise<void>;
  /** A link to sign in to the web console, which works once; undefined where the console is off. Throws before `listen`. */
  signInLink(): string | undefined;
  /** A kubeconfig whose client certificate names this user. */
  kubeconfigFor(user: { readonly name: string; readonly groups: readonly string[] }): string;
}
