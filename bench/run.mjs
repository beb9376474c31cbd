// `npm run bench`: measures Keelson against a bare Node HTTP/2 server in one run. See README.md beside this file.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { Api } from './api.mjs';
import { measureAdmission } from './lines/admission.mjs';
import { measureAggregated } from './lines/aggregated.mjs';
import { measureAuthorize } from './lines/authorize.mjs';
import { measureBeside } from './lines/beside.mjs';
import { measureDefinitionMemory, measureDefinitionStart, measureServed } from './lines/definitions.mjs';
import { measureFanOut, measureWatchedCreate } from './lines/fan-out.mjs';
import { measureForms } from './lines/forms.mjs';
import { measureFullMemory, measureFullStart, measureThreadsMemory } from './lines/full-memory.mjs';
import { measureGrowth } from './lines/growth.mjs';
import { measureHostile } from './lines/hostile.mjs';
import { measureNoisy } from './lines/noisy.mjs';
import { measureRestart } from './lines/restart.mjs';
import { measureRoles } from './lines/roles.mjs';
import { measureSimulated } from './lines/simulate.mjs';
import { measureIdleMemory, measureReady } from './lines/start.mjs';
import { measureTestServerMemory, measureTestServers } from './lines/test-servers.mjs';
import { measureThreads } from './lines/threads.mjs';
import { measureThroughput } from './lines/throughput.mjs';
import { measureWatchMemory } from './lines/watch-memory.mjs';
import { parseOptions, usage } from './options.mjs';
import { startBare } from './processes/bare.mjs';
import { isMemoryFolder, syncMs } from './processes/disk.mjs';
import { Generator } from './processes/generator.mjs';
import { serveHttp2By, startKeelson } from './processes/keelson.mjs';
import { Scope } from './processes/scope.mjs';
import { machineTicks } from './processes/usage.mjs';
import { machine, printMachine, printNoise, printResults } from './report.mjs';
import { formLines } from './targets.mjs';

/** Lines that start servers of their own; the others share one pair, started when the first of them needs it. */
const onFreshServers = {
  ready: measureReady,
  memory: measureIdleMemory,
  'watch-memory': measureWatchMemory,
  beside: measureBeside,
  hostile: measureHostile,
  noisy: measureNoisy,
  'full-memory': measureFullMemory,
  'threads-memory': measureThreadsMemory,
  'full-start': measureFullStart,
  'restart-ready': measureRestart,
  'restart-list': measureRestart,
  'restart-memory': measureRestart,
  'test-servers': measureTestServers,
  'test-servers-memory': measureTestServerMemory,
  'crd-served': measureServed,
  'crd-memory': measureDefinitionMemory,
  'crd-start': measureDefinitionStart,
  'simulate-1000': measureSimulated,
  growth: measureGrowth,
  authorize: measureAuthorize,
  'rbac-get': measureRoles,
  'rbac-create': measureRoles,
  plugins: measureAdmission,
  webhook: measureAdmission,
  'policies-10': measureAdmission,
  'policies-100': measureAdmission,
  'aggregated-get': measureAggregated,
  'threads-get': measureThreads,
  'threads-create-pod': measureThreads,
  'threads-watch': measureThreads,
};
const onSharedServers = {
  get: measureThroughput,
  create: measureThroughput,
  'create-pod': measureThroughput,
  'custom-create': measureThroughput,
  'custom-rules': measureThroughput,
  'merge-patch': measureThroughput,
  apply: measureThroughput,
  'apply-ports': measureThroughput,
  list: measureThroughput,
  'list-all': measureThroughput,
  page: measureThroughput,
  select: measureThroughput,
  watch: measureFanOut,
  'watched-create': measureWatchedCreate,
  'list-of-node': measureForms,
  ...Object.fromEntries(formLines.map(({ name }) => [name, measureForms])),
};

async function main(options) {
  const scope = new Scope();
  if (options.http2 !== undefined) serveHttp2By(options.http2);
  try {
    const about = machine({ folder: scope.path, syncMs: syncMs(scope.path) });
    printMachine(about);
    if (isMemoryFolder(scope.path)) console.log('warning: that folder is in memory; set TMPDIR to one on a disk\n');
    const ticks = machineTicks();
    const outcomes = await measureAll({ ...options, scope, generator: new Generator(scope) });
    if (scope.isClosing) return; // interrupted
    printResults(outcomes);
    printNoise(ticks);
    if (options.json) writeJson(options.json, { about, loadAtEnd: loadavg(), outcomes });
    if (outcomes.some(({ error }) => error)) process.exitCode = 1;
  } finally {
    await scope.close();
  }
}

/** A line that cannot be measured is reported; the others go on. */
async function measureAll(context) {
  const outcomes = [];
  const shared = lazily(() => openBench(context));
  for (const line of context.lines) {
    process.stderr.write(`measuring ${line.name} ...\n`);
    try {
      outcomes.push({ line, outcome: await measureLine({ line, context, shared }) });
    } catch (error) {
      if (context.scope.isClosing) break;
      outcomes.push({ line, error });
    }
  }
  return outcomes;
}

async function measureLine({ line: { name }, context, shared }) {
  const measureFresh = onFreshServers[name];
  return measureFresh
    ? measureFresh({ name, ...context })
    : onSharedServers[name]({ name, bench: await shared(), pace: context.pace });
}

async function openBench({ scope, command, generator }) {
  const bare = await startBare({ scope });
  const keelson = await startKeelson({ scope, command });
  const api = new Api(keelson.target);
  scope.defer(() => api.close());
  return { bare, keelson, generator, api };
}

function lazily(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

function writeJson(file, { outcomes, ...rest }) {
  const lines = outcomes.map(({ line, outcome, error }) => ({ ...line, ...outcome, error: error?.message }));
  writeFileSync(file, `${JSON.stringify({ date: new Date().toISOString(), ...rest, lines }, undefined, 2)}\n`);
}

function readOptions() {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}

// a file of certificates that Node reads before everything else says nothing about a server
delete process.env.NODE_EXTRA_CA_CERTS;
const options = readOptions();
if (options.help) console.log(usage);
else await main(options);
