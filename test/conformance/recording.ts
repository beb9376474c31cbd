// Recordings: a file for each area, a line for each answer.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { makeNamespace, type Recorded, remove, runScenario } from './run-scenario.ts';
import { loadArea, type Scenario } from './scenario.ts';

export const answerFolder = join(import.meta.dirname, 'answers');

const fileOf = (folder: string, area: string) => join(folder, `${area}.jsonl`);

export function writeRecording(folder: string, area: string, recorded: readonly Recorded[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(folder, area), recorded.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

export function readRecording(area: string, folder = answerFolder): readonly Recorded[] {
  if (!existsSync(fileOf(folder, area))) return [];
  const lines = readFileSync(fileOf(folder, area), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}

/** Scenarios do not depend on each other: this many run at the same time. */
const parallel = 8;

/** Runs scenarios against a cluster; the answers are in the order of the scenarios. */
export async function runAll(cluster: Cluster, scenarios: readonly Scenario[]): Promise<readonly Recorded[]> {
  return (await runEach(cluster, scenarios)).flat();
}

async function runEach(cluster: Cluster, scenarios: readonly Scenario[]): Promise<readonly (readonly Recorded[])[]> {
  const run = Math.random().toString(36).slice(2, 6).padEnd(4, '0');
  const shared = `ns-${run}`;
  const results: (readonly Recorded[])[] = [];
  const queue = [...scenarios.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, scenario] = next;
      results[at] = await runScenario(cluster, scenario, { id: `${run}${String(at).padStart(4, '0')}`, shared });
    }
  };
  const isShared = scenarios.some(({ namespace }) => namespace === 'shared');
  if (isShared) await makeNamespace(cluster, shared);
  await Promise.all(Array.from({ length: parallel }, work));
  if (isShared) await remove(cluster, `/api/v1/namespaces/${shared}`);
  return results;
}

/** Runs several areas at once. */
export async function runAreas(
  cluster: Cluster,
  areas: readonly string[],
): Promise<ReadonlyMap<string, readonly Recorded[]>> {
  const scenarios = areas.map((area) => loadArea(area));
  const answers = await runEach(cluster, scenarios.flat());
  let from = 0;
  const byArea = new Map<string, readonly Recorded[]>();
  for (const [at, area] of areas.entries()) {
    const until = from + (scenarios[at]?.length ?? 0);
    byArea.set(area, answers.slice(from, until).flat());
    from = until;
  }
  return byArea;
}
