// Looks at the data file before LMDB maps it: LMDB trusts every number in it, and where one leads beyond the end of the
// file the process would die of a signal.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { DamagedStoreError } from './damaged-store-error.ts';
import {
  checkLargeHeader,
  DamagedPage,
  type LargeValue,
  type PagePlace,
  pageHeader,
  readFreeList,
  readNumber,
  readPage,
  readTree,
  type Tree,
} from './lmdb-page.ts';

const magic = 0xbeefc0de;
const version = 2;
const metaLength = pageHeader + 144;
/** The list of free pages has numbers as keys. */
const integerKeys = 8;
const pageSizes = { min: 512, max: 65536 };
/**
 * How many pages are read at most, so that a start stays quick: those nearest to the roots come first. Further ones are
 * known to lie within the file.
 */
const maxPages = 16_384;

/**
 * Throws `DamagedStoreError` if LMDB must not open the data file in `folder`; a missing file is valid. Returns
 * where the last page in use ends, as far as that is known. With `readsAll` every page is read, however large the file is.
 */
export function checkDataFile(folder: string, { readsAll = false } = {}): number {
  if (!isKnownLayout) return Number.POSITIVE_INFINITY;
  const path = join(folder, 'data.mdb');
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  try {
    return checkFile(file, readsAll ? Number.POSITIVE_INFINITY : maxPages);
  } catch (error) {
    if (!(error instanceof DamagedPage)) throw error;
    throw new DamagedStoreError(
      `the data file ${path} is damaged: ${error.message}; restore a snapshot into a new data folder`,
    );
  } finally {
    closeSync(file);
  }
}

/** Numbers are laid out as this machine has them; those of other machines are left to LMDB. */
const isKnownLayout = endianness() === 'LE' && ['x64', 'arm64', 'riscv64', 'loong64'].includes(process.arch);

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly trees: readonly Tree[];
}

function checkFile(file: number, pages: number): number {
  const { size } = fstatSync(file);
  if (size === 0) throw new DamagedPage('it is empty');
  const first = readMeta(file, 0);
  const second = readMeta(file, first.pageSize);
  if (second.pageSize !== first.pageSize) throw new DamagedPage('its two heads differ in the size of pages');
  const meta = first.transaction >= second.transaction ? first : second;
  if (meta.lastPage < 1 || meta.lastPage > 2 ** 40) throw new DamagedPage('it has an impossible number of pages');
  new Walk(file, meta, { present: Math.floor(size / meta.pageSize), maxReads: pages }).run();
  return (Math.max(first.lastPage, second.lastPage) + 1) * meta.pageSize;
}

function readMeta(file: number, at: number): Meta {
  const bytes = Buffer.alloc(metaLength);
  if (readSync(file, bytes, 0, metaLength, at) < metaLength) throw new DamagedPage('it ends before its head does');
  if (bytes.readUInt32LE(24) !== magic || (bytes.readUInt16LE(18) & 8) === 0)
    throw new DamagedPage('its head is not that of a data file');
  if (bytes.readUInt32LE(28) !== version) throw new DamagedPage('its head has an unknown version');
  const pageSize = bytes.readUInt32LE(48);
  if (pageSize < pageSizes.min || pageSize > pageSizes.max || (pageSize & (pageSize - 1)) !== 0)
    throw new DamagedPage(`its head has pages of ${pageSize} bytes`);
  if ((bytes.readUInt16LE(52) & integerKeys) === 0) throw new DamagedPage('its head has unknown flags');
  const trees = [readTree(bytes, 48, true), readTree(bytes, 96, false)].filter((tree) => tree !== undefined);
  return { pageSize, trees, lastPage: readNumber(bytes, 144), transaction: readNumber(bytes, 152) };
}

/** Follows the trees from their roots, level by level. */
class Walk {
  readonly #file: number;
  readonly #meta: Meta;
  /** Pages that are there. */
  readonly #present: number;
  readonly #used: Uint8Array;
  readonly #buffer: Buffer;
  readonly #limit: number;
  #reads = 0;
  #isWhole = true;

  constructor(
    file: number,
    meta: Meta,
    { present, maxReads }: { readonly present: number; readonly maxReads: number },
  ) {
    this.#file = file;
    this.#meta = meta;
    this.#present = present;
    // the pages at the end may never have been written when they were free again at once: then everything has to be looked at
    this.#limit = present > meta.lastPage ? maxReads : Number.POSITIVE_INFINITY;
    this.#used = new Uint8Array(Math.min(present, meta.lastPage + 1));
    this.#buffer = Buffer.alloc(meta.pageSize);
  }

  run(): void {
    const lists: Buffer[] = [];
    const large: (LargeValue & { readonly isFreeList: boolean })[] = [];
    let level: PagePlace[] = this.#meta.trees.map(placeOf);
    while (level.length > 0) {
      const next: PagePlace[] = [];
      for (const place of level) {
        this.#claim(place.page, 1);
        if (!this.#mayRead()) continue;
        const content = readPage(this.#read(place.page), place, this.#meta.transaction);
        next.push(...content.children.map((page) => ({ ...place, page, level: place.level - 1 })));
        next.push(...content.trees.map(placeOf));
        for (const value of content.large) {
          this.#claim(value.page, value.pages);
          large.push({ ...value, isFreeList: place.isFreeList });
        }
        lists.push(...content.lists);
      }
      level = next;
    }
    for (const value of large) this.#checkLarge(value, lists);
    for (const list of lists) this.#checkFree(list);
  }

  /** A page belongs to one place only. */
  #claim(page: number, pages: number): void {
    if (page < 2 || page + pages - 1 > this.#meta.lastPage) throw new DamagedPage(`there is no page ${page}`);
    if (page + pages > this.#present) throw new DamagedPage(`it ends before page ${page + pages - 1}`);
    for (let at = page; at < page + pages; at++) {
      if (this.#used[at] !== 0) throw new DamagedPage(`page ${at} is used twice`);
      this.#used[at] = 1;
    }
  }

  #mayRead(): boolean {
    if (this.#reads < this.#limit) {
      this.#reads++;
      return true;
    }
    this.#isWhole = false;
    return false;
  }

  #read(page: number): Buffer {
    const { pageSize } = this.#meta;
    if (readSync(this.#file, this.#buffer, 0, pageSize, page * pageSize) < pageSize)
      throw new DamagedPage(`page ${page} cannot be read`);
    return this.#buffer;
  }

  #checkLarge(value: LargeValue & { readonly isFreeList: boolean }, lists: Buffer[]): void {
    if (!value.isFreeList && !this.#mayRead()) return;
    checkLargeHeader(this.#read(value.page), value, this.#meta.transaction);
    if (!value.isFreeList) return;
    const bytes = Buffer.alloc(value.length);
    readSync(this.#file, bytes, 0, value.length, value.page * this.#meta.pageSize + pageHeader);
    lists.push(bytes);
  }

  /** Free pages are written over: they must exist, and must not be in use. */
  #checkFree(list: Buffer): void {
    for (const { page, pages } of readFreeList(list)) {
      if (page < 2 || page + pages - 1 > this.#meta.lastPage) throw new DamagedPage(`there is no free page ${page}`);
      if (!this.#isWhole) continue;
      for (let at = page; at < Math.min(page + pages, this.#used.length); at++)
        if (this.#used[at] === 1) throw new DamagedPage(`page ${at} is free and in use`);
    }
  }
}

function placeOf({ root, depth, isFreeList }: Tree): PagePlace {
  return { page: root, level: depth, isFreeList };
}
