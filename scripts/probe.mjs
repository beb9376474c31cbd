// Runs the recorded exchanges against a fresh server and holds the counts against test/conformance/baseline.json
// (`--update`: writes them there; `--area a,b`: only these, with every difference shown).
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const probe = join(root, '..', 'shared', 'probe');
const baselineFile = join(root, 'test', 'conformance', 'baseline.json');
const args = process.argv.slice(2);
const area = args.includes('--area') ? args[args.indexOf('--area') + 1] : undefined;

if (!existsSync(probe)) {
  console.log('probe: the recorded exchanges are not here, nothing to compare');
  process.exit(0);
}

/** The callers that were recorded. */
const tokens = 'admintoken,admin,admin-uid,"system:masters"\nusertoken,alice,alice-uid,"devs,ops"\n';

const folder = mkdtempSync(join(tmpdir(), 'keelson-probe-'));
const server = await startServer(folder);
try {
  const transcript = join(folder, 'transcript.json');
  run(
    'run',
    '--server',
    server.url,
    '--token',
    'admintoken',
    '--user-token',
    'usertoken',
    '--patience',
    '0.5',
    '--parallel',
    '8',
    '--out',
    transcript,
  );
  const verb = area === undefined ? 'score' : 'compare';
  const report = run(verb, join(probe, 'golden.json'), transcript);
  console.log(report);
  if (area === undefined) process.exitCode = judge(countsOf(report));
} finally {
  server.process.kill('SIGTERM');
  await server.exited;
  rmSync(folder, { recursive: true, force: true });
}

function run(...words) {
  const only = area === undefined ? [] : ['--area', area];
  return execFileSync(process.execPath, [join(probe, 'probe.mjs'), ...words, ...only], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
}

async function startServer(dataDir) {
  const tokenFile = join(dataDir, 'tokens.csv');
  writeFileSync(tokenFile, tokens);
  const flags = [
    '--data-dir',
    dataDir,
    '--secure-port=0',
    '--token-auth-file',
    tokenFile,
    '--enable-bootstrap-token-auth',
  ];
  const command = [join(root, 'bin', 'keelson.cjs'), 'serve', ...flags];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /https:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return { process: child, url, exited };
  }
  throw new Error('the server did not start');
}

function countsOf(report) {
  const rows = [...report.matchAll(/^(\S+)\s+(\d+)\/(\d+)/gm)];
  return Object.fromEntries(
    rows.map(([, name, passed, total]) => [name, { passed: Number(passed), total: Number(total) }]),
  );
}

/** An area that falls below its baseline is a step back. */
function judge(counts) {
  if (args.includes('--update')) {
    writeFileSync(baselineFile, `${JSON.stringify(counts, undefined, 2)}\n`);
    console.log(`baseline written to ${baselineFile}`);
    return 0;
  }
  const baseline = JSON.parse(readFileSync(baselineFile, 'utf8'));
  const fallen = Object.keys(baseline).filter((name) => (counts[name]?.passed ?? 0) < baseline[name].passed);
  for (const name of fallen)
    console.error(`probe: ${name} fell from ${baseline[name].passed} to ${counts[name]?.passed ?? 0}`);
  const risen = Object.keys(counts).filter((name) => counts[name].passed > (baseline[name]?.passed ?? 0));
  if (risen.length > 0) console.log(`above the baseline: ${risen.join(', ')} (npm run probe -- --update raises it)`);
  return fallen.length === 0 ? 0 : 1;
}
