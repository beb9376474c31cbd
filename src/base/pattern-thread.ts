// Regular expressions that users write, on long texts: in another thread, so that no other client waits for them.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

const program = `
const { workerData, parentPort } = require('node:worker_threads');
const { RE2JS } = require(workerData.re2js);
let found = true;
try {
  found = RE2JS.compile(workerData.pattern).matcher(workerData.text).find();
} catch {
  // what is no expression restricts nothing
}
parentPort.postMessage(found);
`;

let last: Promise<unknown> = Promise.resolve();

/** Whether an expression that was accepted finds a match; one text after the other. */
export function matchesApart(pattern: string, text: string): Promise<boolean> {
  const found = last.then(() => matchInThread(pattern, text));
  last = found.catch(() => {});
  return found;
}

async function matchInThread(pattern: string, text: string): Promise<boolean> {
  const re2js = createRequire(import.meta.url).resolve('re2js');
  const worker = new Worker(program, { eval: true, workerData: { re2js, pattern, text } });
  worker.unref();
  try {
    const [found] = (await once(worker, 'message')) as [boolean];
    return found;
  } finally {
    await worker.terminate();
  }
}
