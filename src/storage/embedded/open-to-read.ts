// Opens a store to read it only, whether a server runs on its folder or not.

import type { RootDatabase } from 'lmdb';
import { checkDataFile } from './data-file.ts';
import { checkFormat, openDatabases, openRoot, type TableSet } from './database.ts';
import { isHeld } from './folder-lock.ts';

interface OpenedToRead {
  readonly root: RootDatabase;
  readonly databases: TableSet;
}

/** Throws for a store that LMDB must not open, or that this program cannot read. The caller closes `root`. */
export async function openToRead(folder: string, { readsAll = false } = {}): Promise<OpenedToRead> {
  // The pages change while a server runs; it has checked them when it started.
  if (!(await isHeld(folder))) checkDataFile(folder, { readsAll });
  const root = openRoot(folder, { readOnly: true });
  try {
    const databases = openDatabases(root);
    checkFormat(databases.meta, folder, { readOnly: true });
    return { root, databases };
  } catch (error) {
    await root.close();
    throw error;
  }
}
