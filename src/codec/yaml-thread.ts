// YAML in a thread of its own, one text after another. The thread ends with its text: nothing is left for an owner to close.

import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { readYamlText, TooManyYamlValuesError, type YamlText } from './yaml-reader.ts';

/** What the thread says of a text. */
export type YamlAnswer =
  | { readonly is: 'read'; readonly text: YamlText }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'too many values' };

/** Beside the chunks of the build; there is none beside the sources. */
const program = new URL('../yaml-worker.cjs', import.meta.url);
/** The library needs about a hundred times the size of a text, which may be 256 KiB. */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

let last: Promise<unknown> = Promise.resolve();

/** As `readYamlText`, by another thread where there is a program for one. */
export function readYamlElsewhere(text: string, maxValues: number): Promise<YamlText> {
  if (!existsSync(program)) return readYamlText(text, maxValues);
  const answer = last.then(() => ask(text, maxValues));
  // the next one comes when this one is over, whatever came of it
  last = answer.catch(() => undefined);
  return answer.then(textOf);
}

function ask(text: string, maxValues: number): Promise<YamlAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: { text, maxValues }, resourceLimits });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that reads YAML ended unexpectedly')));
  });
}

function textOf(answer: YamlAnswer): YamlText {
  if (answer.is === 'read') return answer.text;
  throw answer.is === 'refused' ? new Error(answer.why) : new TooManyYamlValuesError();
}
