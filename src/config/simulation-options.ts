// What is simulated: workloads that come alive, and nodes that run their pods.

import { maxNodes } from '../simulation/nodes/addresses.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import { OptionError } from './option-error.ts';

export interface SimulationOptions {
  /** Parts of a cluster to simulate: `workloads` for its workload controllers, `nodes` or `nodes=N` for nodes that run pods. */
  readonly simulate?: readonly string[];
}

/** The last word on a part wins. */
export function resolveSimulation({ simulate = [] }: SimulationOptions): SimulationConfig {
  let config: SimulationConfig = { workloads: false, nodes: 0, rules: [] };
  for (const part of simulate) config = { ...config, ...readPart(part) };
  return config;
}

function readPart(part: string): Partial<SimulationConfig> {
  if (part === 'workloads') return { workloads: true };
  const [, digits = '1'] = /^nodes(?:=(\d+))?$/.exec(part) ?? [];
  if (!/^nodes(=\d+)?$/.test(part))
    throw new OptionError(`simulate: ${JSON.stringify(part)} is not one of workloads, nodes and nodes=N`);
  if (Number(digits) > maxNodes) throw new OptionError(`simulate: ${part} is more than ${maxNodes} nodes`);
  return { nodes: Number(digits) };
}
