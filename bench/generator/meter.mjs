// Counts what happens between begin() and end(): answers, bytes, latencies and processor time of both sides.
import { processorSeconds, threadSeconds } from '../processes/usage.mjs';
import { percentile } from '../stats.mjs';

/** Latencies kept in one window; beyond that the percentiles come from the first ones. */
const MAX_SAMPLES = 2 ** 18;

export class Meter {
  #pid;
  #isOpen = false;
  #latencies = new Float32Array(MAX_SAMPLES);
  #started = {};
  answers = 0;
  bytes = 0;

  constructor(pid) {
    this.#pid = pid;
  }

  begin() {
    this.answers = 0;
    this.bytes = 0;
    this.#started = this.#now();
    this.#isOpen = true;
  }

  answered(latencyMs) {
    if (!this.#isOpen) return;
    if (this.answers < MAX_SAMPLES) this.#latencies[this.answers] = latencyMs;
    this.answers += 1;
  }

  end() {
    this.#isOpen = false;
    const now = this.#now();
    const seconds = (now.ms - this.#started.ms) / 1000;
    const latencies = this.#latencies.subarray(0, Math.min(this.answers, MAX_SAMPLES));
    return {
      seconds,
      perSecond: this.answers / seconds,
      megabytesPerSecond: this.bytes / seconds / 1e6,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      generatorLoad: (now.own - this.#started.own) / seconds,
      serverLoad: (now.server - this.#started.server) / seconds,
      busiestThreadLoad: busiest(this.#started.threads, now.threads) / seconds,
    };
  }

  #now() {
    const own = process.cpuUsage();
    return {
      ms: performance.now(),
      own: (own.user + own.system) / 1e6,
      server: processorSeconds(this.#pid) ?? Number.NaN,
      threads: process.platform === 'linux' ? threadSeconds(this.#pid) : new Map(),
    };
  }
}

/** Processor seconds of the thread that used most; none where the system does not report them. */
function busiest(before, after) {
  if (after.size === 0) return Number.NaN;
  return Math.max(...[...after].map(([tid, seconds]) => seconds - (before.get(tid) ?? 0)));
}
