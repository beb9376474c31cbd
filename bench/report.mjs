// Prints the two tables of a run, and keeps all of it as JSON when asked.
import { cpus, loadavg, release } from 'node:os';
import { machineTicks } from './processes/usage.mjs';
import { describeTarget, meets } from './targets.mjs';

const RESULT_HEAD = ['line', 'unit', 'keelson', 'bare', 'ratio', 'spread', 'target', ''];
const CONDITION_HEAD = [
  'line',
  'keelson p50/p99 ms',
  'bare p50/p99 ms',
  'MB/s',
  'keelson cpu',
  'bare cpu',
  'keelson ms/answer',
  'bare ms/answer',
  'generator cpu',
  'ratio by cpu',
];

export function machine({ folder, syncMs }) {
  const cores = cpus();
  return {
    node: process.version,
    cpu: cores[0]?.model,
    cores: cores.length,
    kernel: release(),
    folder,
    syncMs,
    load: loadavg(),
  };
}

export function printMachine({ node, cpu, cores, folder, syncMs, load }) {
  console.log(`node ${node}, ${cores} x ${cpu}, load ${load[0].toFixed(2)} at start`);
  console.log(`data on ${folder}, fdatasync of 4 KiB takes ${syncMs.toFixed(2)} ms\n`);
}

/** `from`: machineTicks() at the start of the run. Much stolen or foreign work means: run it again later. */
export function printNoise(from) {
  const to = machineTicks();
  const share = (field) => percent((to[field] - from[field]) / (to.all - from.all));
  console.log(
    `machine: ${share('used')} in use, ${share('stolen')} stolen by its host, load ${loadavg()[0].toFixed(2)} at end`,
  );
}

/** `outcomes`: [{ line, outcome }] or [{ line, error }]. */
export function printResults(outcomes) {
  printTable([RESULT_HEAD, ...outcomes.map(resultRow)]);
  const compared = outcomes.filter(({ outcome }) => outcome?.conditions);
  if (compared.length > 0) printTable([CONDITION_HEAD, ...compared.map(conditionRow)]);
  for (const { line } of compared.filter(isGeneratorBound))
    console.log(`${line.name}: the generator was busier than bare; the true ratio is lower than shown`);
  for (const { line, outcome } of outcomes.filter(isSelection))
    console.log(
      `${line.name}: the quietest ${outcome.rounds.keelson.length} of ${outcome.made} rounds count, of which the host took up to ${percent(outcome.stolen)}`,
    );
  for (const { line, outcome } of outcomes.filter(({ outcome }) => outcome?.note))
    console.log(`${line.name}: ${outcome.note}`);
  for (const { line, error } of outcomes.filter(({ error }) => error))
    console.log(`${line.name} failed: ${error.message}`);
}

/** Lines of both servers in turns; some rounds of which do not count. */
function isSelection({ outcome }) {
  return outcome?.made !== undefined && outcome.made > outcome.rounds.keelson.length;
}

function resultRow({ line, outcome, error }) {
  if (error) return [line.title, line.unit, '-', '-', '-', '-', describeTarget(line), 'failed'];
  const { value, bare, ratio, spread } = outcome;
  const isHeld = Object.keys(line.target).length > 0;
  const verdict = !isHeld ? '' : meets(line, outcome) ? 'ok' : line.target.atMost === undefined ? 'below' : 'over';
  const show = ratio === undefined ? number : fraction;
  const range = `${show(spread.min)}..${show(spread.max)}`;
  return [line.title, line.unit, number(value), number(bare), fraction(ratio), range, describeTarget(line), verdict];
}

function conditionRow({ line, outcome: { conditions, processorRatio } }) {
  const { keelson, bare } = conditions;
  const latency = ({ p50, p99 }) => `${number(p50)} / ${number(p99)}`;
  const loads = [keelson.serverLoad, bare.serverLoad].map(percent);
  const generator = `${percent(keelson.generatorLoad)} / ${percent(bare.generatorLoad)}`;
  return [
    line.title,
    latency(keelson),
    latency(bare),
    number(keelson.megabytesPerSecond),
    ...loads,
    ...[keelson, bare].map(({ cpuMs }) => milliseconds(cpuMs)),
    generator,
    fraction(processorRatio),
  ];
}

function isGeneratorBound({ outcome: { conditions } }) {
  return conditions.bare.generatorLoad > Math.max(0.9, conditions.bare.serverLoad);
}

function number(value) {
  if (value === undefined || Number.isNaN(value)) return '-';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) < 100 ? 1 : 0);
}

function fraction(value) {
  return value === undefined ? '-' : value.toFixed(2);
}

/** Absent where the kernel does not report processor time. */
function milliseconds(value) {
  return Number.isFinite(value) ? value.toFixed(3) : '-';
}

function percent(share) {
  return Number.isNaN(share) ? '-' : `${Math.round(share * 100)}%`;
}

/** The first column is text, the last is a verdict; numbers between are aligned to the right. */
function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const cell = (text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]));
  for (const row of rows) console.log(row.map(cell).join('  '));
  console.log();
}
