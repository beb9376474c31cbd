// The pages of an LMDB file as bytes: what LMDB takes for granted when it has mapped them is checked here.

export class DamagedPage extends Error {}

// page: number (8) · transaction (8) · padding (2) · flags (2) · lower (2) · upper (2), or count of pages (4) · offsets of nodes (2 each)
export const pageHeader = 24;
const branchFlag = 1;
const leafFlag = 2;
const overflowFlag = 4;
/** The rest is set in memory only. */
const kindFlags = 0x7f;
// node: low (2) · high (2) · flags (2) · length of the key (2) · key · data
const nodeHeader = 8;
const bigData = 1;
const subTree = 2;
/** Of a tree: flags that change how it is read; none of the tables has one. */
const treeFlags = 0x7e;
/** A tree without pages. */
const noRoot = 0xffff_ffff * 2 ** 32 + 0xffff_ffff;

/** Where a tree begins. */
export interface Tree {
  readonly root: number;
  readonly depth: number;
  readonly isFreeList: boolean;
}

/** Pages in a row that hold one value. */
export interface LargeValue {
  readonly page: number;
  readonly pages: number;
  readonly length: number;
}

/** What a page of a tree leads to. */
interface PageContent {
  readonly children: readonly number[];
  readonly trees: readonly Tree[];
  readonly large: readonly LargeValue[];
  /** Of a leaf of the list of free pages: the lists that it holds itself. */
  readonly lists: readonly Buffer[];
}

export function readNumber(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}

/** A tree as a meta page or a node describes it; undefined when it is empty. */
export function readTree(bytes: Buffer, at: number, isFreeList: boolean): Tree | undefined {
  if (!isFreeList && (bytes.readUInt16LE(at + 4) & treeFlags) !== 0) throw new DamagedPage('a table has unknown flags');
  const root = readNumber(bytes, at + 40);
  const depth = bytes.readUInt16LE(at + 6);
  if (root === noRoot) return undefined;
  if (depth === 0 || depth > 32) throw new DamagedPage(`a tree is said to be ${depth} pages deep`);
  return { root, depth, isFreeList };
}

/** A page of a tree; `level` is 1 for leaves. */
export function readPage(bytes: Buffer, { page, level, isFreeList }: PagePlace, newest: number): PageContent {
  const fail = (why: string): never => {
    throw new DamagedPage(`page ${page} ${why}`);
  };
  if (readNumber(bytes, 0) !== page) fail('is not where it belongs');
  if (readNumber(bytes, 8) > newest) fail('is of a transaction that never was');
  if ((bytes.readUInt16LE(18) & kindFlags) !== (level > 1 ? branchFlag : leafFlag)) fail('is of another kind');
  const lower = bytes.readUInt16LE(20);
  const upper = bytes.readUInt16LE(22);
  if (lower % 2 !== 0 || lower > upper || upper > bytes.length - pageHeader) fail('has impossible bounds');
  const count = lower / 2;
  if (count < (level > 1 && !isFreeList ? 2 : 1)) fail('is empty');
  const content = { children: [], trees: [], large: [], lists: [] };
  for (let index = 0; index < count; index++) {
    const at = pageHeader + bytes.readUInt16LE(pageHeader + 2 * index);
    if (at < pageHeader + upper || at + nodeHeader > bytes.length) fail('has a node out of bounds');
    const keyEnd = at + nodeHeader + bytes.readUInt16LE(at + 6);
    if (keyEnd > bytes.length) fail('has a key out of bounds');
    if (level > 1) readBranch(bytes, at, content);
    else readLeaf(bytes, { at, keyEnd, isFreeList }, content, fail);
  }
  return content;
}

export interface PagePlace {
  readonly page: number;
  readonly level: number;
  readonly isFreeList: boolean;
}

type Found = { children: number[]; trees: Tree[]; large: LargeValue[]; lists: Buffer[] };

function readBranch(bytes: Buffer, at: number, { children }: Found): void {
  children.push(bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 2 ** 32);
}

interface LeafPlace {
  readonly at: number;
  readonly keyEnd: number;
  readonly isFreeList: boolean;
}

function readLeaf(bytes: Buffer, { at, keyEnd, isFreeList }: LeafPlace, found: Found, fail: (why: string) => never) {
  const length = bytes.readUInt32LE(at);
  const flags = bytes.readUInt16LE(at + 4);
  if ((flags & ~(bigData | subTree)) !== 0 || flags === (bigData | subTree)) fail('has a node with unknown flags');
  if (isFreeList && keyEnd - at - nodeHeader !== 8) fail('has a transaction with a number of another size');
  if (keyEnd === at + nodeHeader) fail('has an empty key');
  const dataEnd = keyEnd + (flags & bigData ? 24 : length);
  if (dataEnd > bytes.length) fail('has a value out of bounds');
  if (flags & bigData) {
    const value = { page: readNumber(bytes, keyEnd), pages: readNumber(bytes, keyEnd + 16), length };
    if (value.pages < Math.floor((pageHeader - 1 + length) / bytes.length) + 1) fail('has a value without its pages');
    found.large.push(value);
  } else if (flags & subTree) {
    if (length !== 48 || isFreeList) fail('has a table of an unknown form');
    const tree = readTree(bytes, keyEnd, false);
    if (tree !== undefined) found.trees.push(tree);
  } else if (isFreeList) found.lists.push(Buffer.from(bytes.subarray(keyEnd, dataEnd)));
}

/** The first page of a large value. */
export function checkLargeHeader(bytes: Buffer, { page, pages }: LargeValue, newest: number): void {
  const isSound =
    readNumber(bytes, 0) === page &&
    readNumber(bytes, 8) <= newest &&
    (bytes.readUInt16LE(18) & kindFlags) === overflowFlag &&
    bytes.readUInt32LE(20) === pages;
  if (!isSound) throw new DamagedPage(`page ${page} is not the large value that belongs there`);
}

interface PageRange {
  readonly page: number;
  readonly pages: number;
}

/** Ranges of a list of free pages: a count, then pages, or a negative length with the page that follows. */
export function readFreeList(bytes: Buffer): readonly PageRange[] {
  const ranges: PageRange[] = [];
  const count = bytes.length < 8 ? Number.NaN : readNumber(bytes, 0);
  if (!(count * 8 + 8 <= bytes.length)) throw new DamagedPage('a list of free pages is longer than its record');
  for (let index = 1; index <= count; index++) {
    const entry = Number(bytes.readBigInt64LE(index * 8));
    if (entry === 0) continue;
    if (entry > 0) ranges.push({ page: entry, pages: 1 });
    else if (++index > count) throw new DamagedPage('a list of free pages ends within a range');
    else ranges.push({ page: readNumber(bytes, index * 8), pages: -entry });
  }
  return ranges;
}
