// The recorder: runs scenarios against the cluster of a kubeconfig, and writes its answers or compares them.

import { parseArgs } from 'node:util';
import { type Cluster, openCluster } from './cluster.ts';
import { differences } from './compare.ts';
import { answerFolder, readRecording, runAll, writeRecording } from './recording.ts';
import type { Recorded } from './run-scenario.ts';
import { areas, loadArea, type Scenario, scenarioFolder } from './scenario.ts';

const usage = `usage: node scripts/record.mjs [--kubeconfig FILE] [--compare] [--scenario TEXT] [--scenarios FOLDER] [--out FOLDER] [AREA…]

Sends the requests of test/conformance/scenarios to a cluster and writes its answers to test/conformance/answers.
  --kubeconfig FILE   the cluster and its administrator (default: as kubectl finds it)
  --compare           writes nothing, shows where the cluster answers differently than what is recorded
  --scenario TEXT     with --compare: only scenarios whose name contains this
  --scenarios FOLDER  scenarios of your own
  --out FOLDER        where answers are written, or read for --compare
`;

const options = {
  kubeconfig: { type: 'string' },
  compare: { type: 'boolean', default: false },
  scenario: { type: 'string', default: '' },
  scenarios: { type: 'string', default: scenarioFolder },
  out: { type: 'string', default: answerFolder },
  help: { type: 'boolean', default: false },
} as const;

/** Resolves to the exit code. */
export async function main(args: readonly string[], print: (text: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help) {
    print(usage);
    return 0;
  }
  // no `using`: the script is bundled for every Node that is supported
  const cluster = await openCluster(values.kubeconfig === undefined ? {} : { file: values.kubeconfig });
  try {
    return await recordAreas(cluster, values, positionals, print);
  } finally {
    cluster[Symbol.dispose]();
  }
}

interface Settings {
  readonly compare: boolean;
  readonly scenario: string;
  readonly scenarios: string;
  readonly out: string;
}

async function recordAreas(
  cluster: Cluster,
  settings: Settings,
  chosen: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  let different = 0;
  for (const area of chosen.length > 0 ? chosen : areas(settings.scenarios)) {
    const scenarios = loadArea(area, settings.scenarios).filter(({ name }) => name.includes(settings.scenario));
    const recorded = await runAll(cluster, scenarios);
    if (settings.compare) different += compared(area, scenarios, recorded, settings, print);
    else writeRecording(settings.out, area, recorded);
    print(`${area}: ${recorded.length} answers`);
  }
  return different === 0 ? 0 : 1;
}

/** How many answers are others than those that were recorded. */
function compared(
  area: string,
  scenarios: readonly Scenario[],
  recorded: readonly Recorded[],
  { out }: Settings,
  print: (text: string) => void,
): number {
  const names = new Set(scenarios.map(({ name }) => name));
  const expected = readRecording(area, out).filter(({ scenario }) => names.has(scenario));
  const found = differences(expected, recorded);
  for (const { scenario, at, request, lines } of found)
    print(`${area}: ${scenario}: ${at} ${request}\n${lines.join('\n')}\n`);
  print(`${area}: ${recorded.length - found.length} of ${recorded.length} answers agree`);
  return found.length;
}
