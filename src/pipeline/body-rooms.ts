// How many bytes of bodies are in memory at once, in all and of each user: those past it are told to come again.

import type { BodyRoom } from '../meta/exchange.ts';
import { tooManyRequests } from '../meta/status.ts';

/** A hundred times what two hundred usual bodies have, and little of what a server has. */
const usualMost = 128 * 1024 * 1024;
const retryAfterSeconds = 1;

export class BodyRooms {
  readonly #most: number;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(most = usualMost) {
    this.#most = most;
  }

  /** For one request of a user. */
  open(user: string): BodyRoom {
    return new OpenRoom(this, user);
  }

  /** Whether there is room: half of what the others have left is a user's share, so that there is always some for the next one. */
  take(user: string, bytes: number): boolean {
    const held = this.#bytesOf.get(user) ?? 0;
    const left = this.#most - (this.#bytes - held);
    if (held + bytes > left / 2) return false;
    this.#bytesOf.set(user, held + bytes);
    this.#bytes += bytes;
    return true;
  }

  giveBack(user: string, bytes: number): void {
    const held = (this.#bytesOf.get(user) ?? 0) - bytes;
    this.#bytes -= bytes;
    if (held > 0) this.#bytesOf.set(user, held);
    else this.#bytesOf.delete(user);
  }
}

class OpenRoom implements BodyRoom {
  readonly #rooms: BodyRooms;
  readonly #user: string;
  #bytes = 0;
  #isClosed = false;

  constructor(rooms: BodyRooms, user: string) {
    this.#rooms = rooms;
    this.#user = user;
  }

  take(bytes: number): void {
    if (this.#isClosed || !this.#rooms.take(this.#user, bytes)) throw tooManyRequests(retryAfterSeconds);
    this.#bytes += bytes;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#bytes > 0) this.#rooms.giveBack(this.#user, this.#bytes);
    this.#bytes = 0;
  }
}
