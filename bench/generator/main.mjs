// The load generator's process: takes one job at a time over IPC and answers with its result.
import { runBeside } from './beside.mjs';
import { runFanOut } from './fan-out.mjs';
import { runHostile } from './hostile.mjs';
import { runLoad } from './load.mjs';
import { openWatchers } from './watchers.mjs';

/** Watches kept open between jobs, for measuring what they cost. */
let held = [];

const jobs = {
  load: runLoad,
  fanOut: runFanOut,
  beside: runBeside,
  hostile: runHostile,
  async hold(job) {
    held.push(await openWatchers(job));
  },
  release() {
    for (const watchers of held) watchers.close();
    held = [];
  },
};

process.on('message', async ({ type, job }) => {
  try {
    process.send({ result: await jobs[type](job) });
  } catch (error) {
    process.send({ error: error.message });
  }
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {}); // Ctrl-C reaches the whole group; the parent decides
