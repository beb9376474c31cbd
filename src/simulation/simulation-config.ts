// What a server simulates.

import type { SimulatedPrograms } from './agent/sessions.ts';
import type { SimulationRule } from './nodes/rules.ts';

export interface SimulationConfig {
  /** Whether the workload controllers of kube-controller-manager run. */
  readonly workloads: boolean;
  /** Number of simulated nodes; 0 for none, and then no pod is scheduled or run. */
  readonly nodes: number;
  /** How containers behave; later rules are stronger. */
  readonly rules: readonly SimulationRule[];
  /** Functions that stand for what runs in containers. */
  readonly programs: SimulatedPrograms;
}
