// The context for serving requests of a listener, by either protocol.

import type { Handler } from '../../meta/exchange.ts';
import type { StrangerMemory } from './stranger-memory.ts';
import type { LiveSinks } from './stream-sink.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface ServeContext {
  readonly handler: Handler;
  /** The server is about to stop. */
  isDraining(): boolean;
  readonly live: LiveSinks;
  readonly unread: UnreadAnswers;
  readonly strangers: StrangerMemory;
  onStreamError(error: unknown): void;
  /** A request over HTTP/2 is served from here on. */
  onBegan(): void;
  /** One that began is over. */
  onClosed(): void;
}
