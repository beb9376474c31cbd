// Interleaved rounds: bare, keelson, bare, keelson, so that the noise of the machine hits both.
import { alternate } from '../quiet.mjs';
import { median, spread } from '../stats.mjs';

/** `measure(side)` does one round of 'bare' or 'keelson' and resolves to { perSecond, … }. */
export async function compare({ rounds, measure }) {
  return summarize(await alternate(rounds, measure));
}

function summarize({ bare, keelson, stolen, made }) {
  // nothing at all is answered in a round only where the machine stood still
  const ratios = keelson.map((result, round) => result.perSecond / bare[round].perSecond).filter(Number.isFinite);
  return {
    value: median(keelson.map((result) => result.perSecond)),
    bare: median(bare.map((result) => result.perSecond)),
    ratio: median(ratios),
    spread: spread(ratios),
    processorRatio: perProcessorSecond(keelson) / perProcessorSecond(bare),
    conditions: { keelson: conditions(keelson), bare: conditions(bare) },
    rounds: { keelson, bare },
    stolen,
    made,
  };
}

/** Work done for a second of processor time: hardly moved by what else the machine does. */
function perProcessorSecond(results) {
  const total = (amount) => results.reduce((sum, result) => sum + amount(result) * result.seconds, 0);
  return total(({ perSecond }) => perSecond) / total(({ serverLoad }) => serverLoad);
}

function conditions(results) {
  const middle = (field) => median(results.map((result) => result[field]));
  const fields = ['p50', 'p99', 'megabytesPerSecond', 'serverLoad', 'generatorLoad'];
  const cpuMs = Math.min(...results.map(processorMs).filter(Number.isFinite));
  return { ...Object.fromEntries(fields.map((field) => [field, middle(field)])), cpuMs };
}

/** Processor time of the server's process for one answer. Other work on the machine only adds to it. */
const processorMs = ({ serverLoad, perSecond }) => (serverLoad / perSecond) * 1000;
