// Zones of nodes: how many of their nodes are ready, and how fast pods may be evicted from the others. The more of a zone is
// lost, the more likely is the fault between the zone and the controller.

interface NodeOfZone {
  readonly zone: string;
  readonly isReady: boolean;
}

type ZoneState = 'normal' | 'partial' | 'full';

interface Zone {
  ready: number;
  unready: number;
  /** Nodes that get a taint of eviction, in this order. */
  readonly waiting: Set<string>;
  /** When the next of them may get it. */
  nextAt: number;
}

const pauseMs = 10_000;
const longPauseMs = 100_000;
const largeZone = 50;
const unhealthyShare = 0.55;

export class Zones {
  readonly #zones = new Map<string, Zone>();
  #isAllLost = false;

  add({ zone: name, isReady }: NodeOfZone): void {
    const zone = this.#zones.get(name) ?? { ready: 0, unready: 0, waiting: new Set<string>(), nextAt: 0 };
    this.#zones.set(name, zone);
    if (isReady) zone.ready++;
    else zone.unready++;
  }

  remove({ zone: name, isReady }: NodeOfZone): void {
    const zone = this.#zones.get(name);
    if (zone === undefined) return;
    if (isReady) zone.ready--;
    else zone.unready--;
    if (zone.ready + zone.unready === 0) this.#zones.delete(name);
  }

  clear(): void {
    this.#zones.clear();
    this.#isAllLost = false;
  }

  /** No node of any zone is ready: pods are not evicted, because they could go nowhere. */
  get isAllLost(): boolean {
    return this.#isAllLost;
  }

  /** Returns whether `isAllLost` changed. */
  update(): boolean {
    const before = this.#isAllLost;
    this.#isAllLost = this.#zones.size > 0 && [...this.#zones.values()].every((zone) => stateOf(zone) === 'full');
    if (this.#isAllLost) for (const { waiting } of this.#zones.values()) waiting.clear();
    return this.#isAllLost !== before;
  }

  /** A node is to be tainted as soon as its zone allows it. */
  await(zoneName: string, node: string): void {
    this.#zones.get(zoneName)?.waiting.add(node);
  }

  /** A node is not to be tainted. */
  release(zoneName: string, node: string): void {
    this.#zones.get(zoneName)?.waiting.delete(node);
  }

  /** Removes and returns the nodes that may be tainted now: one of a zone. */
  takeDue(now: number): readonly string[] {
    const due: string[] = [];
    for (const zone of this.#zones.values()) {
      const pause = pauseOf(zone);
      const [first] = zone.waiting;
      if (first === undefined || this.#isAllLost || pause === Number.POSITIVE_INFINITY || zone.nextAt > now) continue;
      zone.waiting.delete(first);
      zone.nextAt = now + pause;
      due.push(first);
    }
    return due;
  }

  /** When the next node may be tainted; undefined while none may be. */
  get nextAt(): number | undefined {
    if (this.#isAllLost) return undefined;
    const times = [...this.#zones.values()]
      .filter((zone) => zone.waiting.size > 0 && pauseOf(zone) !== Number.POSITIVE_INFINITY)
      .map(({ nextAt }) => nextAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

function stateOf({ ready, unready }: Zone): ZoneState {
  if (ready === 0 && unready > 0) return 'full';
  return unready > 2 && unready / (ready + unready) >= unhealthyShare ? 'partial' : 'normal';
}

/** Time between two nodes of a zone. */
function pauseOf(zone: Zone): number {
  if (stateOf(zone) !== 'partial') return pauseMs;
  return zone.ready + zone.unready > largeZone ? longPauseMs : Number.POSITIVE_INFINITY;
}
