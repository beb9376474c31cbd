// The body of an answer over HTTP/1.1.

import type { IncomingMessage } from 'node:http';
import { type AnswerBody, type BodyReader, brokenOff } from './backend-call.ts';

export class IncomingBody implements AnswerBody {
  readonly #message: IncomingMessage;
  #isOver = false;

  constructor(message: IncomingMessage) {
    this.#message = message;
    message.on('error', ignore);
  }

  takeWhole(): undefined {
    return undefined;
  }

  read(reader: BodyReader): void {
    const message = this.#message;
    const fail = (error: Error) => {
      if (this.#isOver) return;
      this.#isOver = true;
      reader.onError(error);
    };
    message.on('data', (piece: Buffer) => {
      if (!this.#isOver) reader.onPiece(piece);
    });
    message.on('end', () => {
      if (this.#isOver) return;
      this.#isOver = true;
      reader.onEnd();
    });
    message.on('error', fail);
    message.on('close', () => fail(brokenOff()));
    if (message.destroyed) fail(brokenOff());
  }

  pause(): void {
    this.#message.pause();
  }

  resume(): void {
    this.#message.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#message.destroy();
  }
}

function ignore(): void {}
