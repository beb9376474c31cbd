// Simulated nodes: the entry point of everything that schedules and runs pods on request.

import { isConflict } from '../client/client.ts';
import type { Controller, ControllerContext } from '../controllers/controller.ts';
import { only } from '../controllers/object-feed.ts';
import type { SimulationConfig } from './simulation-config.ts';

const nodesPath = '/api/v1/nodes';

/** Keeps the nodes `node-0` to `node-<N-1>` registered. */
export function simulatedNodes(context: ControllerContext, { nodes }: SimulationConfig): Controller {
  const names = new Set(Array.from({ length: nodes }, (_, index) => `node-${index}`));
  const missing = new Set(names);

  async function register(name: string): Promise<'done'> {
    try {
      await context.client.create(nodesPath, { kind: 'Node', apiVersion: 'v1', metadata: { name } });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    return 'done';
  }
  const queue = context.queue({ name: 'simulated_nodes', work: register });

  context.feed.subscribe({
    wants: only('', 'nodes'),
    onChange({ name, json }) {
      missing.delete(name);
      if (json === undefined && names.has(name)) queue.add(name);
    },
    onSynced() {
      for (const name of missing) queue.add(name);
    },
    onRestart() {
      for (const name of names) missing.add(name);
    },
  });
  return { close: () => queue.close() };
}
