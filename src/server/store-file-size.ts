// Size of the data file, for the pages of the server.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfig } from '../config/options.ts';

/** Undefined for stores other than the embedded one. */
export function fileSize(store: ServerConfig['store']): number | undefined {
  if (store.kind !== 'embedded') return undefined;
  return statSync(join(store.folder, 'data.mdb'), { throwIfNoEntry: false })?.size;
}
