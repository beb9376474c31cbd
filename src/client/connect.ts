// A kubeconfig made into a client of the cluster it names.

import type { LookupFunction } from 'node:net';
import { type Clock, systemClock } from '../base/time/clock.ts';
import { type Dialect, kubernetes } from '../meta/dialect.ts';
import { Client, type Transport } from './client.ts';
import { credentialsOf } from './credential-source.ts';
import { type HttpLimits, HttpTransport } from './http/http-transport.ts';
import type { Kubeconfig } from './kubeconfig/kubeconfig.ts';
import { targetOf } from './kubeconfig/target.ts';

export interface ConnectOptions {
  /** The context to use; the current one when not given. */
  readonly context?: string;
  /** How long an answer may take in all, in milliseconds; a minute when not given. Streams only have to begin in time. */
  readonly timeoutMs?: number;
  /** The longest answer that is read; 256 MiB when not given. */
  readonly maxAnswerBytes?: number;
  /** Requests and streams beyond this many at a time wait for others; there is no limit when not given. */
  readonly maxConnections?: number;
  readonly userAgent?: string;
  /** How the server's name is resolved; as the system does when not given. */
  readonly lookup?: LookupFunction;
  /** Names of the wire format, which credential plugins see. */
  readonly dialect?: Dialect;
  /** Whether credential plugins may ask the user: only where no other code reads standard input. */
  readonly mayAskUser?: boolean;
  /** Whether what credential plugins write to standard error is shown; it is when not given. */
  readonly showsPluginErrors?: boolean;
  /** What credential plugins see of the environment; all of it when not given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/** A cluster that can be talked to. */
export interface Connection extends Disposable {
  readonly client: Client;
  readonly transport: Transport;
  /** The namespace of the context; `default` where it names none. */
  readonly namespace: string;
  /** Where the server is. */
  readonly url: string;
  /** Ends streams, and closes connections once requests under way are over. */
  close(): void;
}

const defaultLimits: HttpLimits = {
  timeoutMs: 60_000,
  maxAnswerBytes: 256 * 1024 * 1024,
  maxConnections: Number.POSITIVE_INFINITY,
};

/**
 * A client of the cluster that a context of the kubeconfig names. Nothing is sent before the first request.
 * Throws a KubeconfigError where the context cannot be used.
 *
 *   using cluster = connect(await loadKubeconfig());
 *   const pods = await cluster.client.list('/api/v1/pods');
 */
export function connect(config: Kubeconfig, options: ConnectOptions = {}): Connection {
  const { clock = systemClock, dialect = kubernetes, environment = process.env, lookup } = options;
  const target = targetOf(config, options.context);
  const transport = new HttpTransport({
    timeoutMs: options.timeoutMs ?? defaultLimits.timeoutMs,
    maxAnswerBytes: options.maxAnswerBytes ?? defaultLimits.maxAnswerBytes,
    maxConnections: options.maxConnections ?? defaultLimits.maxConnections,
    ...(lookup === undefined ? {} : { lookup }),
    target,
    clock,
    userAgent: options.userAgent ?? 'keelson',
    credentials: credentialsOf(target, {
      clock,
      dialect,
      environment,
      mayAskUser: options.mayAskUser ?? false,
      showsErrors: options.showsPluginErrors ?? true,
    }),
  });
  const close = () => transport.close();
  return {
    client: new Client(transport),
    transport,
    namespace: target.namespace || 'default',
    url: target.url.href,
    close,
    [Symbol.dispose]: close,
  };
}
