// Files that options name.

import { readFileSync } from 'node:fs';
import { OptionError } from './option-error.ts';

export function readOptionFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OptionError(`${option}: ${(error as Error).message}`);
  }
}
