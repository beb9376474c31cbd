// The streams of a command: input, output, errors, and how it ended, over channels of a WebSocket or streams of SPDY.

import { streamProtocols } from '../../meta/dialect.ts';
import { InputQueue } from './input-queue.ts';
import type { MessageSocket } from './socket-messages.ts';
import type { SpdySession, SpdyStream } from './spdy-session.ts';

export interface CommandStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** Sends the outcome of the command, as JSON of a Status, and ends all streams. */
  finish(status: object): void;
}

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** Versions of the protocol of channels that are spoken, the best first. */
export const channelProtocols: readonly string[] = streamProtocols.channels;

export function commandOverMessages(messages: MessageSocket, hasInput: boolean): CommandStreams {
  const input = new InputQueue();
  const abort = new AbortController();
  let channel = -1;
  if (!hasInput) input.end();
  messages.onPart = (part, isContinued) => {
    if (!isContinued) channel = part[0] ?? -1;
    const payload = isContinued ? part : part.subarray(1);
    if (channel === channels.close && payload[0] === channels.stdin) input.end();
    else if (channel === channels.stdin && !input.push(payload)) messages.close();
  };
  messages.onEnd = () => {
    input.end();
    abort.abort();
  };
  const send = (to: number, chunk: Uint8Array) => messages.send(Buffer.concat([Buffer.from([to]), chunk]));
  return {
    ...{ input, signal: abort.signal },
    stdout: (chunk) => send(channels.stdout, chunk),
    stderr: (chunk) => send(channels.stderr, chunk),
    finish(status) {
      send(channels.error, Buffer.from(JSON.stringify(status)));
      messages.close();
    },
  };
}

/** The version of the protocol of streams that is spoken. */
export const streamProtocol = streamProtocols.command;

/** Streams come one by one; the command begins when all that were announced are there. */
export class SpdyCommand {
  readonly #expected: ReadonlySet<string>;
  readonly #streams = new Map<string, SpdyStream>();
  readonly #input = new InputQueue();
  readonly #abort = new AbortController();
  readonly #begin: (streams: CommandStreams) => void;

  constructor(expected: readonly string[], begin: (streams: CommandStreams) => void) {
    this.#expected = new Set(['error', ...expected]);
    this.#begin = begin;
    if (!this.#expected.has('stdin')) this.#input.end();
  }

  onStream(stream: SpdyStream, session: () => SpdySession): void {
    const type = stream.headers['streamtype'] ?? '';
    this.#streams.set(type, stream);
    if (type === 'stdin') {
      stream.onData = (chunk) => {
        if (!this.#input.push(chunk)) session().close();
      };
      stream.onEnd = () => this.#input.end();
    }
    if (!this.#expected.has(type) || [...this.#expected].some((one) => !this.#streams.has(one))) return;
    this.#begin(this.#streamsOf(session));
  }

  onClose(): void {
    this.#input.end();
    this.#abort.abort();
  }

  #streamsOf(session: () => SpdySession): CommandStreams {
    return {
      ...{ input: this.#input, signal: this.#abort.signal },
      stdout: (chunk) => this.#streams.get('stdout')?.write(chunk),
      stderr: (chunk) => this.#streams.get('stderr')?.write(chunk),
      finish: (status) => {
        this.#streams.get('error')?.write(Buffer.from(JSON.stringify(status)));
        for (const stream of this.#streams.values()) stream.end();
        setImmediate(() => session().close());
      },
    };
  }
}
