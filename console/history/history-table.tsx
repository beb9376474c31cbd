// Writes as rows, the newest first.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api.ts';
import type { Kind } from '../discovery.ts';
import { Problem, TableHead } from '../shell/report.tsx';
import { type History, type HistoryRow, joined, readHistory, timeText, writerText } from './history.ts';

interface HistoryProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name?: string;
  /** The revision of the row that is open. */
  readonly current?: number | undefined;
  /** Changes when there may be news. */
  readonly version?: string | undefined;
  /** The cell that leads on from a row. */
  titleOf(row: HistoryRow, history: History): ComponentChildren;
}

export function HistoryTable({ kind, namespace, name, current, version, titleOf }: HistoryProps) {
  const history = useSignal<History | undefined>(undefined);
  const problem = useSignal('');
  const place = { namespace, ...(name === undefined ? {} : { name }) };
  const read = async (before?: number) => {
    try {
      const page = await readHistory(kind, place, before);
      history.value = before === undefined || history.value === undefined ? page : joined(history.value, page);
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  useEffect(() => void read(), [version]);
  const shown = history.value;
  if (problem.value !== '') return <Problem text={problem.value} />;
  if (shown === undefined) return <output class="loading">Reading…</output>;
  const { next } = shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls by keys
    <div class="scrolled" tabIndex={0} role="region" aria-label="Writes, the newest first">
      <table>
        <TableHead titles={['Revision', 'Time', 'Verb', 'By', 'Changed']} />
        <tbody>
          {shown.rows.map((row) => (
            <tr key={row.revision} class={row.revision === current ? 'current' : ''}>
              <td>{titleOf(row, shown)}</td>
              <td>{timeText(row)}</td>
              <td class={row.verb === 'delete' ? 'bad' : ''}>{row.verb}</td>
              <td>{writerText(row)}</td>
              <td class="changes" title={row.changes.join('\n')}>
                {name === undefined && <b>{row.name} </b>}
                {row.changes.join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {next === undefined ? (
        <p class="hint">The store remembers nothing older.</p>
      ) : (
        <button type="button" onClick={() => void read(next)}>
          Older
        </button>
      )}
    </div>
  );
}
