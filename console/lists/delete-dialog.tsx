// Deletes the chosen objects, after the server has been asked about each one in a dry run.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, messageOf } from '../api.ts';
import { type Kind, objectPath } from '../discovery.ts';
import { Dialog } from '../shell/dialog.tsx';
import type { Row } from './table-rows.ts';

/** Requests at a time. */
const parallel = 8;
const maxShown = 500;

interface DeleteProps {
  readonly kind: Kind;
  readonly rows: readonly Row[];
  onClose(): void;
}

type Outcomes = ReadonlyMap<string, string>;

const mayBe = 'can be deleted';

/** What the server answers for each row. An object that was replaced meanwhile is not deleted. */
async function deleteAll(kind: Kind, rows: readonly Row[], isDryRun: boolean, tell: (outcomes: Outcomes) => void) {
  const outcomes = new Map<string, string>();
  const waiting = [...rows];
  const worker = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      // the server ignores options of the query when there is a body
      const dryRun = isDryRun ? { dryRun: ['All'] } : {};
      const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: row.uid }, ...dryRun };
      const path = objectPath(kind, row.namespace, row.name);
      try {
        await call(path, { method: 'DELETE', body: JSON.stringify(options) });
        outcomes.set(row.uid, isDryRun ? mayBe : 'deleted');
      } catch (error) {
        outcomes.set(row.uid, messageOf(error));
      }
      tell(new Map(outcomes));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

export function DeleteDialog({ kind, rows, onClose }: DeleteProps) {
  const outcomes = useSignal<Outcomes>(new Map());
  const phase = useSignal<'asking' | 'ready' | 'deleting' | 'done'>('asking');
  const shown = useSignal(rows);
  const run = async (isDryRun: boolean) => {
    phase.value = isDryRun ? 'asking' : 'deleting';
    const tell = (now: Outcomes) => {
      outcomes.value = now;
    };
    await deleteAll(kind, shown.value, isDryRun, tell);
    phase.value = isDryRun ? 'ready' : 'done';
  };
  useEffect(() => void run(true), []);
  const all = shown.value;
  const willGo = all.filter(({ uid }) => outcomes.value.get(uid) === mayBe).length;
  return (
    <Dialog title={`Delete ${all.length} ${all.length === 1 ? kind.kind : kind.plural}`} onClose={onClose}>
      <p role="status">
        {phase.value === 'asking' && 'Asking the server…'}
        {phase.value === 'ready' &&
          `${willGo} of ${all.length} can be deleted. Dependents are deleted in the background.`}
        {phase.value === 'deleting' && 'Deleting…'}
        {phase.value === 'done' && 'Done.'}
      </p>
      <ul class="outcomes">
        {all.slice(0, maxShown).map((row) => (
          <li key={row.uid}>
            <span>{row.namespace === '' ? row.name : `${row.namespace} / ${row.name}`}</span>
            <span class={isGood(outcomes.value.get(row.uid)) ? 'good' : 'bad'}>
              {outcomes.value.get(row.uid) ?? ''}
            </span>
          </li>
        ))}
      </ul>
      {all.length > maxShown && <p>and {all.length - maxShown} more</p>}
      <footer>
        <button type="button" onClick={onClose}>
          {phase.value === 'done' ? 'Close' : 'Cancel'}
        </button>
        {phase.value !== 'done' && (
          <button
            type="button"
            class="danger"
            disabled={phase.value !== 'ready' || willGo === 0}
            onClick={() => void run(false)}
          >
            Delete {willGo}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

const isGood = (outcome: string | undefined) => outcome === undefined || outcome === mayBe || outcome === 'deleted';
