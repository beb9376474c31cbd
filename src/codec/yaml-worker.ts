// The program of the thread that reads one YAML text.

import { parentPort, workerData } from 'node:worker_threads';
import { readYamlText, TooManyYamlValuesError } from './yaml-reader.ts';
import type { YamlAnswer } from './yaml-thread.ts';

async function answer(): Promise<YamlAnswer> {
  const { text, maxValues } = workerData as { readonly text: string; readonly maxValues: number };
  try {
    return { is: 'read', text: await readYamlText(text, maxValues) };
  } catch (error) {
    if (error instanceof TooManyYamlValuesError) return { is: 'too many values' };
    return { is: 'refused', why: (error as Error).message };
  }
}

void answer().then((said) => parentPort?.postMessage(said));
