// Measuring while the machine is ours: what a host takes for its other guests says nothing about a server.
import { machineTicks } from './processes/usage.mjs';

/** More than this share of a measurement taken by the host, and it is made again. */
const STOLEN = 0.02;
/** So many times as often as asked for; a host that is never quiet is measured as it is. */
const PATIENCE = 3;

/** Calls `measure` until `times` results are undisturbed. Resolves to those, or to all where less than half as many are. */
export async function quietly(times, measure) {
  const all = [];
  const undisturbed = [];
  while (undisturbed.length < times && all.length < times * PATIENCE) {
    const from = machineTicks();
    const result = await measure();
    all.push(result);
    if (!(stolenSince(from) > STOLEN)) undisturbed.push(result);
  }
  const isQuiet = undisturbed.length * 2 >= times;
  return { results: isQuiet ? undisturbed : all, isQuiet, tried: all.length };
}

/** Not a number where the kernel does not tell. */
function stolenSince(from) {
  const to = machineTicks();
  return (to.stolen - from.stolen) / (to.all - from.all);
}
