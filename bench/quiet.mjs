// Measuring both servers in turns while the machine is ours: what a host takes for its other guests says nothing about a server.
import { machineTicks } from './processes/usage.mjs';

/** Up to this share of a round taken by the host, and it counts as undisturbed. */
const STOLEN = 0.02;
/** So many times as often as asked for, in wait for undisturbed rounds. */
const PATIENCE = 3;

/**
 * `measure(side)` does its part of a round. Resolves to the results of `rounds` rounds, { bare, keelson, … }: of those that
 * were made, the ones from which the host took least, and the largest share it took from one of them.
 */
export async function alternate(rounds, measure) {
  const made = [];
  const isEnough = () => made.filter(({ stolen }) => stolen <= STOLEN).length >= rounds;
  while (!isEnough() && made.length < rounds * PATIENCE) {
    const from = machineTicks();
    const round = { bare: await measure('bare'), keelson: await measure('keelson') };
    made.push({ ...round, stolen: stolenSince(from) });
  }
  const counted = made.sort((one, other) => one.stolen - other.stolen).slice(0, rounds);
  return {
    bare: counted.map(({ bare }) => bare),
    keelson: counted.map(({ keelson }) => keelson),
    stolen: counted.at(-1).stolen,
    made: made.length,
  };
}

/** Nothing where the kernel does not tell. */
function stolenSince(from) {
  const to = machineTicks();
  return (to.stolen - from.stolen) / (to.all - from.all) || 0;
}
