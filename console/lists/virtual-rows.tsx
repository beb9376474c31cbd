// Shows the rows that are in view, in elements that are used again: scrolling changes texts, and makes and removes nothing.
// A row is drawn again only if it has changed.

import { useSignal } from '@preact/signals';
import { Component } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Column, type Row, shownCell } from './table-rows.ts';

export const rowHeight = 30;
const besides = 8;

/** A column as the page shows it: where its text comes from, and how wide it is. */
export interface ShownColumn {
  readonly title: string;
  readonly width: string;
  readonly isNumber: boolean;
  textOf(row: Row, now: number): string;
}

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly ShownColumn[];
  readonly isCurrent: boolean;
  readonly isMarked: boolean;
  /** Ages change with time. */
  readonly now: number;
  onOpen(row: Row): void;
  onMark(row: Row): void;
}

class TableRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, index, columns, isCurrent, isMarked, now } = this.props;
    return (
      next.row !== row ||
      next.index !== index ||
      next.columns !== columns ||
      next.isCurrent !== isCurrent ||
      next.isMarked !== isMarked ||
      next.now !== now
    );
  }

  override render({ row, index, columns, isCurrent, isMarked, now, onOpen, onMark }: RowProps) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all rows
      <div
        role="row"
        id={`row-${row.uid}`}
        aria-rowindex={index + 2}
        aria-selected={isMarked}
        tabIndex={-1}
        style={{ transform: `translateY(${index * rowHeight}px)` }}
        class={`row${isCurrent ? ' current' : ''}${row.isDeleting ? ' deleting' : ''}`}
        onClick={(event) => (event.ctrlKey || event.metaKey || event.shiftKey ? onMark(row) : onOpen(row))}
      >
        {columns.map((column, at) => (
          <div key={at} role="gridcell" class={column.isNumber ? 'number' : ''} tabIndex={-1}>
            {column.textOf(row, now)}
          </div>
        ))}
      </div>
    );
  }
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly columns: readonly ShownColumn[];
  readonly current: number;
  /** Grows with each key: the current row comes into view again. */
  readonly moves: number;
  readonly marked: ReadonlySet<string>;
  readonly now: number;
  onOpen(row: Row): void;
  onMark(row: Row): void;
}

export function VirtualRows({ rows, columns, current, moves, marked, now, onOpen, onMark }: RowsProps) {
  const body = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useEffect(() => {
    const element = body.current as HTMLDivElement;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = body.current as HTMLDivElement;
    const from = current * rowHeight;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = from + rowHeight - element.clientHeight;
  }, [current, moves]);
  const slots = Math.ceil(height.value / rowHeight) + 2 * besides;
  const first = Math.max(0, Math.min(Math.floor(top.value / rowHeight) - besides, rows.length - slots));
  const grid = columns.map(({ width }) => width).join(' ');
  return (
    <div
      ref={body}
      class="rows"
      role="rowgroup"
      onScroll={({ currentTarget }) => {
        top.value = currentTarget.scrollTop;
      }}
    >
      <div class="all" role="presentation" style={{ height: `${rows.length * rowHeight}px`, '--columns': grid }}>
        {Array.from({ length: Math.min(slots, rows.length) }, (_, slot) => {
          // the one row of the window whose number has this rest
          const index = first + ((slot - (first % slots) + slots) % slots);
          const row = rows[index] as Row;
          return (
            <TableRow
              key={slot}
              row={row}
              index={index}
              columns={columns}
              isCurrent={index === current}
              isMarked={marked.has(row.uid)}
              now={now}
              onOpen={onOpen}
              onMark={onMark}
            />
          );
        })}
      </div>
    </div>
  );
}

const longestColumn = 48;
const sampleRows = 200;

/** Columns with widths that fit most rows. */
export function shownColumns(
  columns: readonly Column[],
  rows: readonly Row[],
  options: { readonly hasNamespace: boolean; readonly isWide: boolean },
): readonly (ShownColumn & { readonly by: 'name' | 'namespace' | number; readonly description: string })[] {
  const sample = rows.slice(0, sampleRows);
  const now = Date.now();
  const widthOf = (title: string, textOf: (row: Row) => string) => {
    let longest = title.length + 2;
    for (const row of sample) longest = Math.max(longest, textOf(row).length);
    const characters = Math.min(longest, longestColumn) + 2;
    return `minmax(${Math.min(characters, 16)}ch, ${characters}fr)`;
  };
  const namespace = {
    title: 'Namespace',
    description: 'The namespace of the object.',
    by: 'namespace' as const,
    width: widthOf('Namespace', (row) => row.namespace),
    isNumber: false,
    textOf: (row: Row) => row.namespace,
  };
  const own = columns.flatMap((column, at) => {
    if (column.priority > 0 && !options.isWide) return [];
    const textOf = (row: Row, when: number) => shownCell(row, column, at, when);
    const isName = at === 0 && column.name === 'Name';
    return {
      title: column.name,
      description: column.description ?? '',
      by: isName ? ('name' as const) : at,
      width: widthOf(column.name, (row) => textOf(row, now)),
      isNumber: column.type === 'integer' || column.type === 'number',
      textOf,
    };
  });
  return options.hasNamespace ? [namespace, ...own] : own;
}
