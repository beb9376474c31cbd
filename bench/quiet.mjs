// Measuring both servers in turns while the machine is ours: what a host takes for its other guests says nothing about a server.
import { machineTicks } from './processes/usage.mjs';

/** More than this share of a round taken by the host, and it is made again. */
const STOLEN = 0.02;
/** So many times as often as asked for; a host that is never quiet is measured as it is. */
const PATIENCE = 3;

/**
 * `measure(side)` does its part of a round. Resolves to the results of `rounds` undisturbed rounds, { bare, keelson, … }, or of
 * all that were made where less than half as many were undisturbed.
 */
export async function alternate(rounds, measure) {
  const all = [];
  const undisturbed = [];
  while (undisturbed.length < rounds && all.length < rounds * PATIENCE) {
    const from = machineTicks();
    const round = { bare: await measure('bare'), keelson: await measure('keelson') };
    all.push(round);
    if (!(stolenSince(from) > STOLEN)) undisturbed.push(round);
  }
  const isQuiet = undisturbed.length * 2 >= rounds;
  const counted = isQuiet ? undisturbed : all;
  return {
    bare: counted.map(({ bare }) => bare),
    keelson: counted.map(({ keelson }) => keelson),
    isQuiet,
    tried: all.length,
  };
}

/** Not a number where the kernel does not tell. */
function stolenSince(from) {
  const to = machineTicks();
  return (to.stolen - from.stolen) / (to.all - from.all);
}
