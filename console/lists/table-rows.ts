// The rows of a table: sorted and filtered, changed one at a time. Nothing here knows of the page.

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly priority: number;
}

export type Cell = string | number | boolean | null | object;

export interface Row {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** In milliseconds; NaN where the object has no time. */
  readonly createdAt: number;
  readonly isDeleting: boolean;
  readonly cells: readonly Cell[];
}

export interface Sort {
  /** `name`, `namespace`, or the number of a column. */
  readonly by: 'name' | 'namespace' | number;
  readonly descends: boolean;
}

export function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

const isAge = ({ name }: Column) => name === 'Age';

/** Seconds, minutes, hours or days, as kubectl has it. */
export function ageText(createdAt: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - createdAt) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** The text of a cell; ages are counted from now. */
export function shownCell(row: Row, column: Column, at: number, now: number): string {
  return isAge(column) && !Number.isNaN(row.createdAt) ? ageText(row.createdAt, now) : cellText(row.cells[at]);
}

type Key = string | number;

export class TableRows {
  readonly #rows = new Map<string, Row>();
  #order: Row[] = [];
  #columns: readonly Column[] = [];
  #sort: Sort = { by: 'name', descends: false };
  #search = '';

  get total(): number {
    return this.#rows.size;
  }

  /** Those that match the search, in order. */
  get order(): readonly Row[] {
    return this.#order;
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  set columns(columns: readonly Column[]) {
    this.#columns = columns;
  }

  get sort(): Sort {
    return this.#sort;
  }

  set sort(sort: Sort) {
    this.#sort = sort;
    this.#order.sort(this.#compare);
  }

  set search(text: string) {
    this.#search = text.trim().toLowerCase();
    this.#rebuild();
  }

  get(uid: string): Row | undefined {
    return this.#rows.get(uid);
  }

  clear(): void {
    this.#rows.clear();
    this.#order = [];
  }

  addAll(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.uid, row);
    this.#rebuild();
  }

  /** Adds or replaces one row. */
  put(row: Row): void {
    this.remove(row.uid);
    this.#rows.set(row.uid, row);
    if (this.#matches(row)) this.#order.splice(this.#place(row), 0, row);
  }

  remove(uid: string): void {
    const row = this.#rows.get(uid);
    if (row === undefined) return;
    this.#rows.delete(uid);
    if (!this.#matches(row)) return;
    const at = this.#place(row);
    if (this.#order[at] === row) this.#order.splice(at, 1);
  }

  #rebuild(): void {
    const all = [...this.#rows.values()];
    this.#order = (this.#search === '' ? all : all.filter((row) => this.#matches(row))).sort(this.#compare);
  }

  /** Every word stands somewhere in the row. */
  #matches(row: Row): boolean {
    if (this.#search === '') return true;
    const text = `${row.namespace} ${row.name} ${row.cells.map(cellText).join(' ')}`.toLowerCase();
    return this.#search.split(/\s+/).every((word) => text.includes(word));
  }

  /** The place of a row in the order, by halves. */
  #place(row: Row): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#order[middle] as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  readonly #compare = (a: Row, b: Row): number => {
    const byKey = compareKeys(this.#key(a), this.#key(b));
    if (byKey !== 0) return this.#sort.descends ? -byKey : byKey;
    return compareKeys(a.namespace, b.namespace) || compareKeys(a.name, b.name) || compareKeys(a.uid, b.uid);
  };

  #key(row: Row): Key {
    const { by } = this.#sort;
    if (by === 'name') return row.name;
    if (by === 'namespace') return row.namespace;
    const column = this.#columns[by];
    // younger first, as ages grow
    if (column !== undefined && isAge(column)) return -row.createdAt;
    const cell = row.cells[by];
    return typeof cell === 'number' ? cell : cellText(cell);
  }
}

function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
