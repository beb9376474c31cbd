// The history of one object: each write with its difference, and the way back to what the object was.

import { useSignal } from '@preact/signals';
import type { Kind } from '../discovery.ts';
import { DiffView, useChange } from '../objects/change.tsx';
import { diffLines } from '../objects/diff.ts';
import { schemaOf } from '../objects/load-schema.ts';
import type { ApiObject } from '../objects/object-state.ts';
import { toText } from '../objects/yaml-text.ts';
import type { Right } from '../rights.ts';
import type { History, HistoryObject, HistoryRow } from './history.ts';
import { HistoryTable } from './history-table.tsx';

interface ObjectHistoryProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Undefined for an object that does not exist any more. */
  readonly object: ApiObject | undefined;
  readonly right: Right | undefined;
  onSaved(object: ApiObject): void;
}

interface Opened {
  readonly row: HistoryRow;
  readonly before: HistoryObject | undefined;
}

export function ObjectHistory({ kind, namespace, name, object, right, onSaved }: ObjectHistoryProps) {
  const opened = useSignal<Opened | undefined>(undefined);
  const open = (row: HistoryRow, { rows, base }: History) => {
    const older = rows[rows.indexOf(row) + 1];
    opened.value = { row, before: older === undefined ? base : older.object };
  };
  return (
    <div class="both history">
      <HistoryTable
        {...{ kind, namespace, name, current: opened.value?.row.revision }}
        version={object?.metadata.resourceVersion}
        titleOf={(row, history) => (
          <button type="button" onClick={() => open(row, history)}>
            {row.revision}
          </button>
        )}
      />
      {opened.value !== undefined && (
        <Details
          key={`${opened.value.row.revision} ${object?.metadata.resourceVersion}`}
          {...opened.value}
          {...{ kind, object, right, onSaved }}
        />
      )}
    </div>
  );
}

const textOf = (object: HistoryObject | undefined) => (object === undefined ? '' : toText(object));

type DetailProps = Opened & Pick<ObjectHistoryProps, 'kind' | 'object' | 'right' | 'onSaved'>;

function Details({ row, before, kind, object, right, onSaved }: DetailProps) {
  const { revision, verb } = row;
  const isShown = row.object !== undefined || (verb === 'delete' && before !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls by keys
    <div class="details" role="region" tabIndex={0} aria-label="The write">
      <h2>
        {verb} at revision {revision}
      </h2>
      {object !== undefined && row.object !== undefined && (
        <WayBack {...{ kind, object, right, onSaved }} past={row.object} />
      )}
      {isShown ? (
        <DiffView lines={diffLines(textOf(before), textOf(row.object))} />
      ) : (
        <>
          <p class="hint">Values are not shown. Changed fields:</p>
          <ul>
            {row.changes.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface WayBackProps extends Pick<DetailProps, 'kind' | 'right' | 'onSaved'> {
  readonly object: ApiObject;
  readonly past: HistoryObject;
}

/** What the object was becomes an edit of what it is: the server is asked first, as for any other edit. */
function WayBack({ kind, object, past, right, onSaved }: WayBackProps) {
  const change = useChange({ kind, object, onSaved });
  const goBack = async () => {
    const { metadata, status: _, ...fields } = past;
    const { labels, annotations } = metadata as Readonly<Record<string, unknown>>;
    const { managedFields: __, ...current } = object.metadata;
    const { labels: ___, annotations: ____, ...identity } = current as Readonly<Record<string, unknown>>;
    const texts = {
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    };
    const { status } = object;
    const edited = { ...fields, metadata: { ...identity, ...texts }, ...(status === undefined ? {} : { status }) };
    await change.review(edited, await schemaOf(kind).catch(() => undefined));
  };
  return (
    <p>
      <button
        type="button"
        disabled={right?.allowed !== true}
        title={right?.reason ?? ''}
        onClick={() => void goBack()}
      >
        Go back to this state
      </button>{' '}
      <span class="problem" role="alert">
        {change.problem.value}
      </span>
      {change.dialog}
    </p>
  );
}
