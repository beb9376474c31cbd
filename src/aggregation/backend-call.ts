// One request to another server and its answer, the same over HTTP/2 and HTTP/1.1.

export interface BackendRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Host and port, as the server is addressed. */
  readonly authority: string;
  /** Names in lower case. The same object for requests that say the same. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** What differs from request to request; none of it is among the others. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** In one piece where it is small. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

export interface BackendAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Has to be read to its end or cancelled. */
  readonly body: AnswerBody;
}

/** The body of an answer, as fast as it is read. */
export interface AnswerBody {
  /** All of it, where it has come already; it is not read then. */
  takeWhole(): Uint8Array | undefined;
  /** Passes all received and later pieces to a reader; may be called once. */
  read(reader: BodyReader): void;
  pause(): void;
  resume(): void;
  /** Cancels the rest of the body; the other server is notified. */
  cancel(): void;
}

export interface BodyReader {
  onPiece(bytes: Uint8Array): void;
  onEnd(): void;
  /** The other server broke off. */
  onError(error: Error): void;
}

/** The other server ended the connection without an answer. */
export const noAnswer = (): Error => new Error('EOF');

/** The other server ended the connection in the middle of an answer. */
export const brokenOff = (): Error => new Error('unexpected EOF');

const unprocessedErrors = new WeakSet<Error>();

/** Marks why the other server did nothing with a request: it may be sent again, whatever it asks for. */
export function unprocessed(error: Error): Error {
  unprocessedErrors.add(error);
  return error;
}

export const isUnprocessed = (error: unknown): boolean => unprocessedErrors.has(error as Error);
