// The command line of the benchmark, and how long each part of a run takes.
import { parseArgs } from 'node:util';
import { keelsonCommand } from './processes/keelson.mjs';
import { lines } from './targets.mjs';

export const usage = `usage: node bench/run.mjs [--quick] [--only NAME,...] [--json FILE] [--command "node server.mjs"] [--http2 own|node]
names: ${lines.map((line) => line.name).join(', ')}`;

/**
 * Many short rounds rather than a few long ones: a disturbance then spoils a round, not the median. V8 compiles by how often
 * something has run, and is done with the way of a write after some 70,000 of them, in however many seconds.
 */
const pace = {
  rounds: 41,
  warmMs: 5000,
  warmAnswers: 80_000,
  rampMs: 100,
  windowMs: 250,
  starts: 7,
  fresh: 3,
  writes: 400,
  stored: 200_000,
  pods: 100_000,
  definitions: 1000,
};
const quickPace = {
  rounds: 5,
  warmMs: 600,
  warmAnswers: 0,
  rampMs: 50,
  windowMs: 250,
  starts: 3,
  fresh: 1,
  writes: 150,
  stored: 20_000,
  pods: 10_000,
  definitions: 200,
};

/** Throws an Error whose message is for the user. */
export function parseOptions(args) {
  const text = { type: 'string' };
  const options = {
    quick: { type: 'boolean' },
    help: { type: 'boolean' },
    only: text,
    json: text,
    command: text,
    http2: text,
  };
  const { values } = parseArgs({ args, options });
  if (![undefined, 'own', 'node'].includes(values.http2)) throw new Error('--http2: own or node');
  return {
    help: values.help === true,
    http2: values.http2,
    pace: values.quick ? quickPace : pace,
    lines: chooseLines(values.only),
    json: values.json,
    command: values.command?.trim().split(/\s+/) ?? keelsonCommand,
  };
}

function chooseLines(only) {
  if (only === undefined) return lines;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !lines.some((line) => line.name === name));
  if (unknown.length > 0) throw new Error(`--only: no line called ${unknown.join(', ')}`);
  return lines.filter((line) => names.includes(line.name));
}
