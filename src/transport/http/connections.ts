// The connections that are open: which of them are in use, and the end of those that are not.

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/time/clock.ts';
import { type Deadline, Deadlines, type DeadlineTarget } from '../../base/time/deadlines.ts';
import { errorCodes } from '../../http2/http2-error.ts';
import { CancelBudget } from './cancel-budget.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/** A connection that speaks HTTP/2, as the keeper of connections sees it. */
export interface ConnectionSession {
  /** The client has received GOAWAY, or is disconnected. */
  readonly isClosing: boolean;
  /** No further request is served: the client knows the last one that is, or is disconnected. */
  readonly isFinal: boolean;
  /** Asks the client to use another connection; requests under way finish. */
  sendGoAway(): void;
  /** Ends the connection at once, with an error code. */
  disconnect(code: number): void;
  /** Reads nothing until `resumeReading`, so that a client that makes too much work has to wait. */
  pauseReading(): void;
  resumeReading(): void;
  /** Ends the connection after all writes; resolves when that is done. */
  finish(): Promise<void>;
  destroy(): void;
}

interface Handshake {
  readonly socket: Socket;
  readonly deadline: Deadline;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #deadlines: Deadlines;
  readonly #sockets = new Set<Socket>();
  /** Oldest first. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #secured = new WeakMap<Socket, Connection>();
  readonly #sessions = new Set<ConnectionSession>();
  /** HTTP/1.1 without a request so far. */
  readonly #unused = new Set<Connection>();
  readonly #shared: SharedByConnections;
  #onFewer: (() => void) | undefined;

  constructor(limits: ConnectionLimits, clock: Clock) {
    this.#limits = limits;
    this.#deadlines = new Deadlines(clock);
    this.#shared = { clock, deadlines: this.#deadlines, onFinal: () => this.#onFewer?.() };
  }

  /** Those with a handshake still to come, too. */
  get count(): number {
    return this.#sockets.size;
  }

  get sessions(): Iterable<ConnectionSession> {
    return this.#sessions;
  }

  /** A connection was made; TLS is still to come. */
  opened(socket: Socket): void {
    const id = idOf(socket);
    this.#sockets.add(socket);
    const deadline = this.#deadlines.after(this.#limits.handshakeMs, { onDeadline: () => socket.destroy() });
    this.#handshakes.set(id, { socket, deadline });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#shaken(id, socket);
      this.#onFewer?.();
    });
    // an honest handshake takes a moment: the one that has taken longest is the one to give up
    const [oldest] = this.#handshakes.size > this.#limits.handshakes ? this.#handshakes.values() : [];
    oldest?.socket.destroy();
  }

  /** Its handshake is done. */
  secured(socket: TLSSocket): Connection {
    this.#shaken(idOf(socket));
    const isSession = socket.alpnProtocol === 'h2';
    const first = isSession ? this.#limits.prefaceMs : this.#limits.firstRequestMs;
    const connection = new Connection(socket, this.#limits, this.#shared, first);
    this.#secured.set(socket, connection);
    if (!isSession) this.#unused.add(connection);
    socket.once('close', () => {
      connection.onClose();
      this.used(connection);
    });
    return connection;
  }

  /** The client speaks HTTP without TLS: it receives an HTTP answer, below the TLS that has failed. */
  spokePlainly(socket: TLSSocket): void {
    this.#handshakes.get(idOf(socket))?.socket.end(plainAnswer, () => socket.destroy());
  }

  /** A connection speaks HTTP/2. */
  began(connection: Connection, session: ConnectionSession, socket: TLSSocket): void {
    connection.session = session;
    this.#sessions.add(session);
    socket.once('close', () => {
      this.#sessions.delete(session);
      this.#onFewer?.();
    });
    if (this.#onFewer !== undefined) connection.sendGoAway();
  }

  /** The first request of a connection of HTTP/1.1 has come, or the connection is over. */
  used(connection: Connection): void {
    if (this.#unused.delete(connection)) this.#onFewer?.();
  }

  /** Asks all clients to leave, also those that have begun to connect. `onFewer` is called when fewer of them may still send a request. */
  sendGoAway(onFewer: () => void): void {
    this.#onFewer = onFewer;
    for (const session of this.#sessions) session.sendGoAway();
  }

  /** Whether a request may come from a client that has begun to connect, or has not received that it is to leave. */
  get mayReceive(): boolean {
    if (this.#handshakes.size > 0 || this.#unused.size > 0) return true;
    for (const session of this.#sessions) if (!session.isFinal) return true;
    return false;
  }

  ofSocket(socket: Socket): Connection | undefined {
    return this.#secured.get(socket);
  }

  /** Ends sessions when their answers are written. */
  async finishAll(): Promise<void> {
    await Promise.all(Array.from(this.#sessions, (session) => session.finish()));
  }

  destroyAll(): void {
    for (const session of [...this.#sessions]) session.destroy();
    for (const socket of [...this.#sockets]) socket.destroy();
  }

  #shaken(id: string, socket?: Socket): void {
    const handshake = this.#handshakes.get(id);
    if (handshake === undefined || (socket !== undefined && handshake.socket !== socket)) return;
    this.#deadlines.cancel(handshake.deadline);
    this.#handshakes.delete(id);
  }
}

const plainAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Identifies a connection by both ends: a socket and the TLS on top of it are different objects without a link. */
const idOf = ({ remoteAddress, remotePort, localAddress }: Socket) => `${remoteAddress} ${remotePort} ${localAddress}`;

interface SharedByConnections {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** A session serves no further request. */
  onFinal(): void;
}

/**
 * One connection after its handshake. Requests only count up and down; the deadline looks at the outcome when it has come,
 * and is set again if the connection was used meanwhile.
 */
export class Connection implements DeadlineTarget {
  session: ConnectionSession | undefined;
  /** Over HTTP/1.1, the answer that is under way. */
  answer: { readonly headersSent: boolean } | undefined;
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  readonly #shared: SharedByConnections;
  #deadline: Deadline;
  #underWay = 0;
  #idleSince: number;
  #allowedMs: number;
  #isLeaving = false;
  readonly #waiting: (() => void)[] = [];
  readonly #cancels: CancelBudget;
  /** It is not read for a while. */
  #isSlowed = false;
  #slowDeadline: Deadline | undefined;

  constructor(socket: Socket, limits: ConnectionLimits, shared: SharedByConnections, firstMs: number) {
    this.#socket = socket;
    this.#limits = limits;
    this.#shared = shared;
    this.#cancels = new CancelBudget(limits, shared.clock);
    this.#idleSince = shared.clock.now();
    this.#allowedMs = firstMs;
    this.#deadline = shared.deadlines.after(firstMs, this);
  }

  /** The client has sent the preface of HTTP/2. */
  spoke(): void {
    if (!this.#isLeaving) this.#allowedMs = this.#limits.idleMs;
  }

  requestBegan(): void {
    this.#underWay++;
    this.spoke();
  }

  requestEnded(): void {
    this.#underWay--;
    if (this.#underWay === 0) this.#idleSince = this.#shared.clock.now();
  }

  /**
   * Over HTTP/1.1, requests are served one after the other, however many are sent ahead: those wait, and with them what
   * the client sends next. A client that continues is cut off.
   */
  inTurn(serve: () => void): void {
    if (this.#underWay === 0) serve();
    else if (this.#waiting.push(serve) > this.#limits.sentAhead) this.#socket.destroy();
    else this.#socket.pause();
  }

  /** A request is answered: it is over as soon as the next one has begun, so that other clients are served in between. */
  answered(over: () => void): void {
    if (this.#waiting.length === 0) over();
    else
      setImmediate(() => {
        if (this.#socket.writable) this.#waiting.shift()?.();
        if (this.#waiting.length === 0) this.#socket.resume();
        over();
      });
  }

  /**
   * The client took a request back before it was answered. One that does so again and again makes work that is thrown
   * away: its connection is slowed down, and ended if that continues.
   */
  requestTakenBack(): void {
    this.#cancels.spend();
    if (this.#cancels.isExhausted) this.session?.disconnect(errorCodes.enhanceYourCalm);
    else this.#slowDown();
  }

  #slowDown(): void {
    if (this.#isSlowed || this.session === undefined) return;
    const ms = this.#cancels.delayMs();
    if (ms === 0) return;
    this.#isSlowed = true;
    this.session.pauseReading();
    this.#slowDeadline = this.#shared.deadlines.after(ms, { onDeadline: () => this.#goOn() });
  }

  #goOn(): void {
    this.#isSlowed = false;
    this.#slowDown();
    if (!this.#isSlowed) this.session?.resumeReading();
  }

  /** An answer does not wait for the rest of a body that is not read. Its stream does, for a while. */
  waitForBody(stream: DeadlineTarget): Deadline {
    return this.#shared.deadlines.after(this.#limits.firstRequestMs, stream);
  }

  /** Headers that have begun are waited for, but not without end. */
  waitForHeaders(target: DeadlineTarget): Deadline {
    return this.#shared.deadlines.after(this.#limits.headersMs, target);
  }

  /** Cancels a deadline whose event has come. */
  cancel(deadline: Deadline): void {
    this.#shared.deadlines.cancel(deadline);
  }

  /** One side has sent GOAWAY: requests under way may finish, then the connection ends, whatever the client does. */
  leaving(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#allowedMs = this.#limits.farewellMs;
    this.#idleSince = this.#shared.clock.now();
    this.#wait(this.#allowedMs);
  }

  /** Its session serves no further request. */
  onFinal(): void {
    this.#shared.onFinal();
  }

  onClose(): void {
    this.#shared.deadlines.cancel(this.#deadline);
    if (this.#slowDeadline !== undefined) this.#shared.deadlines.cancel(this.#slowDeadline);
  }

  onDeadline(): void {
    if (this.#underWay > 0) {
      this.#wait(this.#allowedMs);
      return;
    }
    const left = this.#idleSince + this.#allowedMs - this.#shared.clock.now();
    if (left > 0) this.#wait(left);
    else this.#end();
  }

  /** Asks the client to use another connection for its next request; those under way finish. */
  sendGoAway(): void {
    const { session } = this;
    if (session === undefined || session.isClosing) return;
    session.sendGoAway();
    this.leaving();
  }

  /** Sends GOAWAY to a client of HTTP/2; if that was sent before, or for HTTP/1.1, the connection just ends. */
  #end(): void {
    if (this.session === undefined || this.session.isClosing || this.#isLeaving) this.#socket.destroy();
    else this.sendGoAway();
  }

  #wait(ms: number): void {
    this.#shared.deadlines.cancel(this.#deadline);
    if (!this.#socket.destroyed) this.#deadline = this.#shared.deadlines.after(ms, this);
  }
}
