// How many connections there may be, and how long one may be open without any use.

export interface ConnectionLimits {
  /** More are closed as soon as they are made. */
  readonly connections: number;
  /** Connections whose TLS handshake is not done yet; of more, the one that takes longest is closed. */
  readonly handshakes: number;
  readonly handshakeMs: number;
  /** From the handshake to the first words of a client: the preface of HTTP/2. */
  readonly prefaceMs: number;
  /** From the handshake to the first request over HTTP/1.1. */
  readonly firstRequestMs: number;
  /** From the first frame of a request's headers to the last, over HTTP/2. */
  readonly headersMs: number;
  /** Between requests. A request that is under way, such as a watch, keeps its connection open. */
  readonly idleMs: number;
  /** From the server's farewell, or the client's, to the end of the connection. */
  readonly farewellMs: number;
  /** Requests under way on a connection of HTTP/2. */
  readonly streams: number;
  /** Requests over HTTP/1.1 that may wait for the answer to the one before them. */
  readonly sentAhead: number;
  /**
   * Requests that a client may take back before they are answered: so many at once, and so many a second in the long run. Its
   * connection is not read while there are more.
   */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
  /** Requests taken back on a connection that is slowed down: with more of them, it is ended. */
  readonly resetsWhileSlow: number;
  /** What answers that wait for their clients hold together; beyond that the one that was not read for longest is given up. */
  readonly unreadBytes: number;
  /** How long an answer with an end waits for a client that takes nothing of it. */
  readonly unreadMs: number;
  /** What clients that have shown no valid credentials take for what they send; beyond that the connection that holds most is ended. */
  readonly strangerBytes: number;
}

/** kube-apiserver's, where it has one. */
export const defaultLimits: ConnectionLimits = {
  connections: 10_000,
  handshakes: 1000,
  handshakeMs: 32_000,
  prefaceMs: 10_000,
  firstRequestMs: 32_000,
  headersMs: 10_000,
  idleMs: 90_000,
  farewellMs: 5000,
  streams: 100,
  sentAhead: 250,
  // a client that leaves takes back no more than it may have under way; twice that allows for others
  resetBurst: 200,
  resetsPerSecond: 100,
  resetsWhileSlow: 1000,
  unreadBytes: 256 * 1024 * 1024,
  unreadMs: 60_000,
  strangerBytes: 64 * 1024 * 1024,
};
