// The most that a transaction can write, from what it puts and removes: LMDB copies each page it changes, and those on the
// way to it from the root of its table.

/** The shape of a table, from LMDB. */
export interface TableShape {
  readonly treeDepth: number;
  readonly treeBranchPageCount: number;
}

/** What a transaction does to one table. */
export interface TableChanges {
  readonly shape: TableShape;
  /** Puts and removals. */
  readonly writes: number;
  /** Of the keys and values that are put. */
  readonly sizes?: readonly number[];
  /** Whether the puts are behind all keys there are, side by side. */
  readonly appends?: boolean;
}

/** The table of tables, the list of free pages, and small items. */
const fixedPages = 24;
/** How many numbers of pages the list of free pages has on a page. */
const listedPages = 256;
/** Of a key and its value in a page. */
const entryOverhead = 64;

/** In bytes, never less than the transaction writes. */
export function largestTransaction(pageSize: number, tables: readonly TableChanges[]): number {
  const pages = tables.reduce((sum, changes) => sum + pagesOf(pageSize, changes), 0);
  return (fixedPages + pages + Math.ceil(pages / listedPages)) * pageSize;
}

function pagesOf(pageSize: number, { shape, writes, sizes = [], appends = false }: TableChanges): number {
  let [own, inline] = [0, 0];
  for (const size of sizes) {
    inline += entryOverhead;
    // an entry of half a page and more has separate pages
    if (size + entryOverhead >= pageSize / 2) own += Math.ceil((size + entryOverhead) / pageSize);
    else inline += size;
  }
  // a page that is divided leaves two that are a quarter full at least
  const added = Math.ceil(inline / (pageSize / 4));
  const depth = shape.treeDepth + 2;
  const leaves = appends ? 1 : writes;
  return own + added + leaves + Math.min(leaves * depth, shape.treeBranchPageCount + added) + depth;
}
