// Forty test servers that start in parallel in one process: how long that takes, and what each adds to its memory.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, spread } from '../stats.mjs';

const ROUNDS = 5;
const program = fileURLToPath(new URL('../processes/test-servers.mjs', import.meta.url));
let measured;

async function measure() {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
    rounds.push(JSON.parse(stdout));
  }
  return rounds;
}

const lineOf = (name) => async () => {
  measured ??= measure();
  const values = (await measured).map((round) => round[name]);
  return { value: median(values), spread: spread(values), rounds: { keelson: values } };
};

export const measureTestServers = lineOf('processorMs');
export const measureTestServerMemory = lineOf('mibPerServer');
