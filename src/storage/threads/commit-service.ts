// The thread that writes the data folder, as the serving threads see it: it commits what they send, and wakes them when
// there is something new to read.

import type { MessagePort } from 'node:worker_threads';
import { revision } from '../../meta/revision.ts';
import { type CommitResult, type Store, StoreUnavailableError, UncertainWriteError, type Write } from '../store.ts';
import { type CommitFailure, type CommitOutcome, type StoreNews, type StoreRequest, unpackWrites } from './messages.ts';
import type { RevisionBoard } from './revision-board.ts';
import { Sleep } from './sleep.ts';

export class CommitService {
  readonly #store: Store;
  readonly #port: MessagePort;
  readonly #following: { end(): void };
  #sleep: Sleep | undefined;
  #outcomes: CommitOutcome[] = [];
  #isPosting = false;
  #isClosed = false;

  constructor(store: Store, board: RevisionBoard, port: MessagePort) {
    this.#store = store;
    this.#port = port;
    this.#following = board.follow(() => this.#wake());
    port.on('message', (request: StoreRequest) => this.#serve(request));
    port.on('close', () => this.close());
  }

  /** Writes that were sent before go on; the thread does not get their outcomes. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#following.end();
    this.#port.close();
  }

  #serve(request: StoreRequest): void {
    if ('sleep' in request) {
      this.#sleep = new Sleep(request.sleep);
      return;
    }
    if ('compact' in request) {
      const { id, compact } = request;
      this.#settle(
        id,
        this.#store.compact(revision(compact)).then(() => ({ kind: 'committed', revision: revision(compact) })),
      );
      return;
    }
    for (const { id, ...write } of unpackWrites(request.commit)) this.#settle(id, this.#commit(write));
  }

  #commit(write: Write): Promise<CommitResult> {
    return this.#isClosed
      ? Promise.reject(new StoreUnavailableError('the store is closed'))
      : this.#store.commit(write);
  }

  #settle(id: number, done: Promise<CommitResult>): void {
    done.then(
      (result) => this.#send(result.kind === 'committed' ? { id, revision: result.revision } : { id, conflict: true }),
      (error: unknown) => this.#send({ id, ...failureOf(error) }),
    );
  }

  #send(outcome: CommitOutcome): void {
    this.#outcomes.push(outcome);
    this.#post();
  }

  /** A thread that is awake looks by itself. */
  #wake(): void {
    if (this.#sleep?.end() === true) this.#post();
  }

  /** One message after everything that one batch of the store has settled. */
  #post(): void {
    if (this.#isPosting || this.#isClosed) return;
    this.#isPosting = true;
    process.nextTick(() => {
      this.#isPosting = false;
      if (this.#isClosed) return;
      const news: StoreNews = { outcomes: this.#outcomes };
      this.#outcomes = [];
      this.#port.postMessage(news);
    });
  }
}

function failureOf(error: unknown): CommitFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UncertainWriteError) return { failure: 'uncertain', message };
  return { failure: error instanceof StoreUnavailableError ? 'unavailable' : 'other', message };
}
