// Simulated nodes: the entry point of everything that schedules and runs pods on request.

import type { Controller, ControllerContext } from '../controllers/controller.ts';
import { Fleet } from './nodes/fleet.ts';
import { Kubelet } from './nodes/kubelet.ts';
import { SimulationRules } from './nodes/rules.ts';
import { Scheduler } from './scheduler/controller.ts';
import type { SimulationConfig } from './simulation-config.ts';

/** Nodes `node-0` to `node-<N-1>`, their kubelet, and a scheduler. */
export function simulatedNodes(context: ControllerContext, { nodes, rules }: SimulationConfig): Controller {
  const fleet = new Fleet(context, {
    count: nodes,
    onResumed: (name) => kubelet.resume(name),
    onRegistered: () => scheduler.start(),
  });
  const kubelet = new Kubelet(context, { fleet, rules: new SimulationRules(rules) });
  const scheduler = new Scheduler(context);
  return {
    async close() {
      await Promise.all([fleet.close(), kubelet.close(), scheduler.close()]);
    },
  };
}
