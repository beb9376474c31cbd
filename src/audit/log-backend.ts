// Events as lines of a log. Lines that come while others are being written are written together.

import type { AuditBackend, Complain } from './backend.ts';
import { type AuditEvent, eventText, standaloneJson } from './event.ts';

/** Where lines go. */
export interface LineSink {
  /** Resolves when the text is out of our hands. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export const logFormats = ['json', 'legacy'] as const;
export type LogFormat = (typeof logFormats)[number];

interface Waiting {
  readonly text: string;
  readonly events: number;
  readonly done: (delivered: boolean) => void;
}

/** A disk that hangs must not fill the memory. */
const maxWaitingBytes = 32 * 1024 * 1024;
const maxChunkBytes = 1024 * 1024;

interface LogBackendConfig {
  readonly format: LogFormat;
  readonly apiVersion: string;
}

export class LogBackend implements AuditBackend {
  readonly #sink: LineSink;
  readonly #write: (event: AuditEvent) => string;
  readonly #lost: Complain;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;

  constructor(sink: LineSink, { format, apiVersion }: LogBackendConfig, lost: Complain) {
    this.#sink = sink;
    this.#write = format === 'json' ? (event) => standaloneJson(event, apiVersion) : eventText;
    this.#lost = lost;
  }

  process(events: readonly AuditEvent[]): Promise<boolean> | boolean {
    const text = events.map((event) => `${this.#write(event)}\n`).join('');
    if (this.#waitingBytes + text.length > maxWaitingBytes) {
      this.#lost('log', events.length, 'too many lines wait to be written');
      return false;
    }
    this.#waitingBytes += text.length;
    const delivered = new Promise<boolean>((done) => {
      this.#waiting.push({ text, events: events.length, done });
    });
    this.#running ??= this.#run();
    return delivered;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#sink.close();
  }

  async #run(): Promise<void> {
    // events of one tick of the event loop share a write
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#writeSome();
    this.#running = undefined;
  }

  async #writeSome(): Promise<void> {
    const some = this.#take();
    const text = some.map((one) => one.text).join('');
    try {
      await this.#sink.append(text);
      for (const { done } of some) done(true);
    } catch (error) {
      this.#lost(
        'log',
        some.reduce((sum, { events }) => sum + events, 0),
        error,
      );
      for (const { done } of some) done(false);
    } finally {
      this.#waitingBytes -= text.length;
    }
  }

  #take(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && (count === 0 || bytes < maxChunkBytes)) {
      bytes += (this.#waiting[count] as Waiting).text.length;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

/** The standard output, which others may write to as well. */
export function streamSink(stream: NodeJS.WritableStream): LineSink {
  return {
    append: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {},
  };
}
