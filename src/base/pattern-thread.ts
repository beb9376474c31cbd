// Regular expressions that users write, on long texts: in another thread, so that no other client waits for them.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

const program = `
const { workerData, parentPort } = require('node:worker_threads');
const { RE2JS } = require(workerData.re2js);
const { pattern, text, most } = workerData;
let found;
try {
  const matcher = RE2JS.compile(pattern).matcher(text);
  found = [];
  while (found.length < most && matcher.find()) found.push(matcher.group());
} catch {
  // undefined: it is no expression
}
parentPort.postMessage(found);
`;

let last: Promise<unknown> = Promise.resolve();

/** Whether an expression that was accepted finds a match; what is none restricts nothing. */
export async function matchesApart(pattern: string, text: string): Promise<boolean> {
  return (await matchesFoundApart(pattern, text, 1))?.length !== 0;
}

/** The first matches of an expression, one text after the other; undefined where it is none. */
function matchesFoundApart(pattern: string, text: string, most: number): Promise<string[] | undefined> {
  const found = last.then(() => matchInThread(pattern, text, most));
  last = found.catch(() => {});
  return found;
}

async function matchInThread(pattern: string, text: string, most: number): Promise<string[] | undefined> {
  const re2js = createRequire(import.meta.url).resolve('re2js');
  const worker = new Worker(program, { eval: true, workerData: { re2js, pattern, text, most } });
  worker.unref();
  try {
    const [found] = (await once(worker, 'message')) as [string[] | undefined];
    return found;
  } finally {
    await worker.terminate();
  }
}
