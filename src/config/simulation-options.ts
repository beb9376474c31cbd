// Options of the simulation: workload controllers, and nodes that run pods.

import { parseYaml } from '../codec/body.ts';
import type { SimulatedPrograms } from '../simulation/agent/sessions.ts';
import { maxNodes } from '../simulation/nodes/addresses.ts';
import { readRules, type SimulationRule } from '../simulation/nodes/rules.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import type { ServerOptions } from './server-options.ts';

/** The option `simulation`. */
export interface SimulationContent extends SimulatedPrograms {
  readonly rules?: readonly SimulationRule[];
}

/** The last word on a part wins. */
export function resolveSimulation({ simulate = [], simulation = {} }: ServerOptions): SimulationConfig {
  const { rules = [], ...programs } = simulation;
  const problem = Object.entries(programs).find(
    ([name, value]) => !programNames.has(name) || typeof value !== 'function',
  );
  if (problem !== undefined)
    throw new OptionError(
      `simulation.${problem[0]}: is not a function with one of the names ${[...programNames].join(', ')}`,
    );
  const checked = checkedRules('simulation.rules', rules);
  let config: SimulationConfig = { workloads: false, nodes: 0, rules: checked, programs };
  for (const part of simulate) config = { ...config, ...readPart(part) };
  return config;
}

const programNames = new Set(['exec', 'connect', 'logs']);

function readPart(part: string): Partial<SimulationConfig> {
  if (part === 'workloads') return { workloads: true };
  const [, digits = '1'] = /^nodes(?:=(\d+))?$/.exec(part) ?? [];
  if (!/^nodes(=\d+)?$/.test(part))
    throw new OptionError(`simulate: ${JSON.stringify(part)} is not one of workloads, nodes and nodes=N`);
  if (Number(digits) > maxNodes) throw new OptionError(`simulate: ${part} is more than ${maxNodes} nodes`);
  return { nodes: Number(digits) };
}

function checkedRules(option: string, value: unknown): readonly SimulationRule[] {
  try {
    return readRules(value);
  } catch (error) {
    throw new OptionError(`${option}: ${(error as Error).message}`);
  }
}

/** The configuration with the rules of the file that an option names. */
export async function withRulesOfFile<T extends { readonly simulation: SimulationConfig }>(
  config: T,
  { simulateRules }: ServerOptions,
): Promise<T> {
  if (simulateRules === undefined) return config;
  const ofFile = checkedRules(`simulateRules: ${simulateRules}`, await readFile(simulateRules));
  const { simulation } = config;
  return { ...config, simulation: { ...simulation, rules: [...ofFile, ...simulation.rules] } };
}

async function readFile(path: string): Promise<unknown> {
  const bytes = readOptionFile('simulateRules', path);
  try {
    return (await parseYaml(bytes)).value;
  } catch (error) {
    throw new OptionError(`simulateRules: ${path}: ${(error as Error).message}`);
  }
}
