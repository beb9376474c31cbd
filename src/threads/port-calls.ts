// Calls between threads: a name and an argument go out, a result or an error comes back.

import { MessagePort } from 'node:worker_threads';
import type { MaybePromise } from '../base/maybe-promise.ts';

/** What one side can be called for. Arguments and results are plain data, or a port. */
type CallTable = Readonly<Record<string, (argument: never) => unknown>>;

/** The handlers of a table, which may take their time. */
type Handlers<T extends CallTable> = {
  readonly [K in keyof T]: (argument: Parameters<T[K]>[0]) => MaybePromise<ReturnType<T[K]>>;
};

interface CallMessage {
  readonly call: string;
  /** Undefined where nothing is to come back. */
  readonly id: number | undefined;
  readonly argument: unknown;
}

type Message =
  | CallMessage
  | { readonly result: unknown; readonly id: number }
  | { readonly error: string; readonly id: number };

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class PortCalls<Mine extends CallTable, Theirs extends CallTable> {
  readonly #port: MessagePort;
  readonly #handlers: Handlers<Mine>;
  readonly #pending = new Map<number, PendingCall>();
  #lastId = 0;
  #isClosed = false;

  constructor(port: MessagePort, handlers: Handlers<Mine>) {
    this.#port = port;
    this.#handlers = handlers;
    port.on('message', (message: Message) => this.#receive(message));
    port.on('close', () => this.#end());
  }

  /** Rejects when the other thread fails or ends. */
  call<K extends keyof Theirs & string>(name: K, argument: Parameters<Theirs[K]>[0]): Promise<ReturnType<Theirs[K]>> {
    if (this.#isClosed) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      this.#lastId++;
      this.#pending.set(this.#lastId, { resolve: resolve as (result: unknown) => void, reject });
      this.#post({ call: name, id: this.#lastId, argument });
    });
  }

  /** Nothing comes back. */
  send<K extends keyof Theirs & string>(name: K, argument: Parameters<Theirs[K]>[0]): void {
    if (!this.#isClosed) this.#post({ call: name, id: undefined, argument });
  }

  close(): void {
    this.#port.close();
  }

  #receive(message: Message): void {
    if ('call' in message) {
      void this.#serve(message);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('error' in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.result);
  }

  async #serve({ call, id, argument }: CallMessage): Promise<void> {
    try {
      const result = await this.#handlers[call]?.(argument as never);
      if (id !== undefined) this.#post({ result, id });
    } catch (error) {
      if (id !== undefined) this.#post({ error: error instanceof Error ? error.message : String(error), id });
    }
  }

  #post(message: Message): void {
    this.#port.postMessage(message, portsOf(message));
  }

  #end(): void {
    this.#isClosed = true;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of lost) reject(ended());
  }
}

/** A port that is passed on belongs to the other thread. */
function portsOf(message: Message): MessagePort[] {
  const value = 'argument' in message ? message.argument : 'result' in message ? message.result : undefined;
  return value instanceof MessagePort ? [value] : [];
}

const ended = () => new Error('the other thread has ended');
