// Compares the record of node ports with the services that have them, once at the start and then again and again.

import { formatPortRange, PortMap, type PortRange, type PortStore } from '../../groups/core/v1/service/node-ports.ts';
import { specOf } from '../../groups/core/v1/service/service-fields.ts';
import { heldPorts } from '../../groups/core/v1/service/service-ports.ts';
import type { Service } from '../../groups/core/v1/service/service-type.ts';
import type { ControllerContext } from '../controller.ts';
import { EventRecorder } from '../event-recorder.ts';
import type { WorkOutcome } from '../work-queue.ts';

export interface NodePorts {
  readonly store: PortStore;
  readonly range: PortRange;
  /** Told of each port that was put right, or could not be. */
  onPortError(type: PortProblem): void;
  /** Told of each round that failed. */
  onFailure(): void;
}

type PortProblem = 'repair' | 'duplicate' | 'outOfRange' | 'leak';

const intervalMs = 3 * 60_000;
/** In so many rounds a port has to be found without a service: one that is about to be stored, or to go, is not lost. */
const roundsBeforeCleanup = 3;

interface Finding {
  readonly service: Service;
  readonly port: number;
  readonly problem: PortProblem;
}

export class NodePortRepair {
  readonly #context: ControllerContext;
  readonly #ports: NodePorts;
  readonly #events: EventRecorder;
  /** Ports without a service, and how many more rounds they are kept. */
  readonly #suspects = new Map<number, number>();

  constructor(context: ControllerContext, ports: NodePorts) {
    this.#context = context;
    this.#ports = ports;
    this.#events = new EventRecorder(context, 'portallocator-repair-controller');
  }

  async round(): Promise<WorkOutcome> {
    try {
      return (await this.#compare()) ? intervalMs : 'again';
    } catch (error) {
      this.#ports.onFailure();
      throw error;
    }
  }

  /** False where the record changed meanwhile. */
  async #compare(): Promise<boolean> {
    const { store, range } = this.#ports;
    const stored = await store.read();
    const services: Service[] = [];
    for await (const { items } of this.#context.client.pages('/api/v1/services'))
      for (const item of items as Service[]) if (heldPorts(specOf(item)).length > 0) services.push(item);
    const rebuilt = new PortMap(range);
    const findings = services.flatMap((service) => portsOf(service, stored, rebuilt));
    const lost = stored.ports.filter((port) => rebuilt.covers(port) && !rebuilt.has(port));
    const leaked = lost.filter((port) => this.#suspects.get(port) === 0);
    for (const port of lost) if (!leaked.includes(port)) rebuilt.set(port);
    if (!(await store.replace(stored, rebuilt))) return false;
    this.#remember(lost, leaked);
    for (const _ of leaked) this.#ports.onPortError('leak');
    for (const finding of findings) await this.#tell(finding);
    return true;
  }

  #remember(lost: readonly number[], leaked: readonly number[]): void {
    const left = lost
      .filter((port) => !leaked.includes(port))
      .map((port) => [port, (this.#suspects.get(port) ?? roundsBeforeCleanup) - 1] as const);
    this.#suspects.clear();
    for (const [port, rounds] of left) this.#suspects.set(port, rounds);
  }

  async #tell({ service, port, problem }: Finding): Promise<void> {
    this.#ports.onPortError(problem);
    const [reason, message] = this.#words(problem, port);
    await this.#events.tell(service, { type: 'Warning', action: 'PortAllocation', reason, message });
  }

  #words(problem: PortProblem, port: number): readonly [reason: string, message: string] {
    if (problem === 'repair') return ['PortNotAllocated', `Port ${port} is not allocated; repairing`];
    if (problem === 'duplicate')
      return ['PortAlreadyAllocated', `Port ${port} was assigned to multiple services; please recreate service`];
    const range = formatPortRange(this.#ports.range);
    return ['PortOutOfRange', `Port ${port} is not within the port range ${range}; please recreate service`];
  }
}

/** Takes the ports of a service, and tells which were not its own. */
function portsOf(service: Service, stored: PortMap, rebuilt: PortMap): readonly Finding[] {
  const findings: Finding[] = [];
  for (const port of new Set(heldPorts(specOf(service)))) {
    const problem = takeOne(port, stored, rebuilt);
    if (problem !== undefined) findings.push({ service, port, problem });
  }
  return findings;
}

function takeOne(port: number, stored: PortMap, rebuilt: PortMap): PortProblem | undefined {
  if (!rebuilt.covers(port)) return 'outOfRange';
  if (rebuilt.has(port)) return 'duplicate';
  rebuilt.set(port);
  return stored.has(port) ? undefined : 'repair';
}
