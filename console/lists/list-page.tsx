// The list of one kind: live, sorted, searched, and worked on by keys.

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { collectionPath, type Kind } from '../discovery.ts';
import { useKeys } from '../keys.ts';
import { rightOf } from '../rights.ts';
import { go, historyAddress, listAddress, objectAddress, route, setQuery } from '../router.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { LiveTable } from './live-table.ts';
import { useNamespaces } from './namespaces.ts';
import type { Row, Sort } from './table-rows.ts';
import { shownColumns, VirtualRows } from './virtual-rows.tsx';

const ageMs = 10_000;

export function ListPage({ kind }: { readonly kind: Kind }) {
  const { query } = route.value;
  const namespace = kind.namespaced ? (query.get('namespace') ?? '') : '';
  const labels = query.get('labels') ?? '';
  const fields = query.get('fields') ?? '';
  const at = query.get('at') ?? '';
  const table = useMemo(() => {
    const selectors = new URLSearchParams();
    if (labels !== '') selectors.set('labelSelector', labels);
    if (fields !== '') selectors.set('fieldSelector', fields);
    return new LiveTable(collectionPath(kind, namespace), selectors, at);
  }, [kind, namespace, labels, fields, at]);
  useEffect(() => () => table.close(), [table]);
  return <Table key={`${namespace} ${labels} ${fields} ${at}`} {...{ kind, namespace, table, at }} />;
}

interface TableProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly table: LiveTable;
  /** The revision of a list as it was; empty for the list as it is. */
  readonly at: string;
}

function Table({ kind, namespace, table, at }: TableProps) {
  const search = useSignal('');
  const current = useSignal(0);
  const moves = useSignal(0);
  const marked = useSignal<ReadonlySet<string>>(new Set());
  const isWide = useSignal(false);
  const isDeleting = useSignal(false);
  const now = useSignal(Date.now());
  const searchField = useRef<HTMLInputElement>(null);
  const deletion = useMemo(() => rightOf(kind, 'delete', namespace), [kind, namespace]);
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, ageMs);
    return () => clearInterval(timer);
  }, []);
  const { rows } = table;
  const version = table.version.value;
  const order = rows.order;
  const options = { hasNamespace: kind.namespaced && namespace === '', isWide: isWide.value };
  // widths follow the first rows and stay then: a table that moves with each event cannot be read
  const sampled = Math.min(order.length, 50);
  const columns = useMemo(
    () => shownColumns(rows.columns, order, options),
    [rows.columns, options.hasNamespace, options.isWide, sampled > 0, version === 0],
  );
  const open = (row: Row | undefined) => row && go(objectAddress(kind, row.namespace, row.name));
  const mark = (row: Row | undefined) => {
    if (row === undefined) return;
    const next = new Set(marked.value);
    if (!next.delete(row.uid)) next.add(row.uid);
    marked.value = next;
  };
  const move = (step: number) => {
    moves.value++;
    current.value = Math.min(Math.max(current.value + step, 0), Math.max(order.length - 1, 0));
  };
  const chosen = useComputed(() => {
    table.version.value;
    const uids = marked.value.size > 0 ? [...marked.value] : [rows.order[current.value]?.uid ?? ''];
    return uids.flatMap((uid) => rows.get(uid) ?? []);
  });
  useKeys([
    { keys: ['ArrowDown', 'j'], help: 'Next row', run: () => move(1) },
    { keys: ['ArrowUp', 'k'], help: 'Row before', run: () => move(-1) },
    { keys: ['PageDown'], help: 'Page down', run: () => move(20) },
    { keys: ['PageUp'], help: 'Page up', run: () => move(-20) },
    { keys: ['Home', 'g'], help: 'First row', run: () => move(-order.length) },
    { keys: ['End', 'G'], help: 'Last row', run: () => move(order.length) },
    { keys: ['Enter', 'o'], help: 'Open the row', run: () => open(rows.order[current.value]) },
    { keys: [' ', 'x'], help: 'Mark the row', run: () => mark(rows.order[current.value]) },
    { keys: ['/'], help: 'Search', run: () => searchField.current?.focus() },
    { keys: ['w'], help: 'Show more columns', run: () => toggle(isWide) },
    { keys: ['d', 'Delete'], help: 'Delete the marked rows', run: () => canDelete() && toggle(isDeleting) },
  ]);
  // a row of the past may be another object by now
  const canDelete = () => at === '' && chosen.value.length > 0;
  const sortBy = (by: Sort['by']) => {
    rows.sort = { by, descends: rows.sort.by === by && !rows.sort.descends };
    table.touch();
  };
  const currentRow = order[current.value];
  return (
    <section class="list">
      <div class="tools">
        <h1>{kind.kind}</h1>
        <Count table={table} />
        <input
          ref={searchField}
          type="search"
          class="search"
          placeholder="Search  /"
          aria-label="Search in the list"
          value={search}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
            rows.search = search.value;
            current.value = 0;
            table.touch();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
              event.preventDefault();
              event.currentTarget.blur();
            }
          }}
        />
        {kind.namespaced && <NamespaceField current={namespace} />}
        <SelectorField name="labels" label="Labels" placeholder="app=web,tier!=test" />
        <SelectorField name="fields" label="Fields" placeholder="metadata.name=web" />
        <label class="check">
          <input type="checkbox" checked={isWide.value} onChange={() => toggle(isWide)} /> More columns
        </label>
        {at === '' ? (
          <a href={historyAddress(kind, namespace)}>History</a>
        ) : (
          <span>
            at revision {at} · <a href={listAddress(kind, namespace)}>Now</a>
          </span>
        )}
        <button
          type="button"
          class="danger"
          disabled={marked.value.size === 0 || at !== '' || deletion.value?.allowed === false}
          title={deletion.value?.allowed === false ? deletion.value.reason : ''}
          onClick={() => toggle(isDeleting)}
        >
          Delete {marked.value.size > 0 ? marked.value.size : ''}
        </button>
      </div>
      <div
        class="grid"
        role="grid"
        aria-label={`${kind.kind} objects`}
        aria-rowcount={order.length + 1}
        aria-multiselectable="true"
        aria-activedescendant={currentRow === undefined ? undefined : `row-${currentRow.uid}`}
        tabIndex={0}
      >
        <div role="rowgroup" class="head">
          <div
            role="row"
            tabIndex={-1}
            class="row"
            style={{ '--columns': columns.map(({ width }) => width).join(' ') }}
          >
            {columns.map((column) => (
              <div
                key={column.title}
                role="columnheader"
                tabIndex={-1}
                aria-sort={rows.sort.by === column.by ? (rows.sort.descends ? 'descending' : 'ascending') : 'none'}
              >
                <button type="button" title={column.description} onClick={() => sortBy(column.by)}>
                  {column.title}
                  {rows.sort.by === column.by ? (rows.sort.descends ? ' ↓' : ' ↑') : ''}
                </button>
              </div>
            ))}
          </div>
        </div>
        <VirtualRows
          rows={order}
          columns={columns}
          current={current.value}
          moves={moves.value}
          marked={marked.value}
          now={now.value}
          onOpen={open}
          onMark={mark}
        />
      </div>
      {isDeleting.value && (
        <DeleteDialog
          kind={kind}
          rows={chosen.value}
          onClose={() => {
            isDeleting.value = false;
            marked.value = new Set();
          }}
        />
      )}
    </section>
  );
}

const toggle = (flag: { value: boolean }) => {
  flag.value = !flag.value;
};

function Count({ table }: { readonly table: LiveTable }) {
  table.version.value;
  const { total, order } = table.rows;
  const number = (value: number) => value.toLocaleString('en');
  const text = order.length === total ? number(total) : `${number(order.length)} of ${number(total)}`;
  const state = table.state.value;
  return (
    <>
      <span class="count" role="status" aria-live="off">
        {text}
      </span>
      <span class={`state ${state}`} title={table.problem.value}>
        {stateTexts[state]}
      </span>
      {table.problem.value !== '' && (
        <p class="problem" role="alert">
          {table.problem.value}
        </p>
      )}
    </>
  );
}

const stateTexts = {
  loading: 'loading',
  live: 'live',
  past: 'as it was',
  waiting: 'not connected',
  failed: 'no list',
} as const;

function NamespaceField({ current }: { readonly current: string }) {
  const { names, refresh } = useNamespaces();
  const all = names.value.includes(current) || current === '' ? names.value : [current, ...names.value];
  return (
    <label class="field">
      <span>Namespace</span>
      <select
        value={current}
        onFocus={refresh}
        onChange={({ currentTarget }) => {
          setQuery({ namespace: currentTarget.value });
          currentTarget.blur();
        }}
      >
        <option value="">all</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SelectorProps {
  readonly name: 'labels' | 'fields';
  readonly label: string;
  readonly placeholder: string;
}

/** Takes effect with Enter: the server selects. */
function SelectorField({ name, label, placeholder }: SelectorProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        placeholder={placeholder}
        value={route.value.query.get(name) ?? ''}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value.trim() })}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </label>
  );
}
