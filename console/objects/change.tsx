// The way of a change to an object: check by the server, difference, conflicts, apply.

import { useSignal } from '@preact/signals';
import { messageOf } from '../api.ts';
import type { Kind } from '../discovery.ts';
import { Dialog } from '../shell/dialog.tsx';
import { type DiffLine, diffLines } from './diff.ts';
import { planEdit } from './edit-plan.ts';
import { hideValues } from './hidden-values.ts';
import {
  type ApiObject,
  type Change,
  type Conflict,
  Conflicts,
  type Decisions,
  editable,
  send,
} from './object-state.ts';
import type { Schema } from './schema.ts';

interface Preview {
  readonly change: Change;
  readonly conflicts: readonly Conflict[];
  readonly lines: readonly DiffLine[];
}

interface ChangeProps {
  readonly kind: Kind;
  readonly object: ApiObject;
  onSaved(object: ApiObject): void;
}

/** `review` asks the server what an edited object would change, and shows it in `dialog`, which is a part of the page. */
export function useChange({ kind, object, onSaved }: ChangeProps) {
  const problem = useSignal('');
  const preview = useSignal<Preview | undefined>(undefined);
  const decisions = useSignal<Decisions>(new Map());
  const ask = async (change: Change) => {
    const { toText } = await import('./yaml-text.ts');
    problem.value = '';
    const original = withoutNoise(object);
    const before = toText(hideValues(kind, original));
    try {
      const result = await send(change, decisions.value, true);
      const lines = diffLines(before, toText(hideValues(kind, withoutFields(withoutNoise(result), change), original)));
      preview.value = { change, conflicts: preview.value?.conflicts ?? [], lines };
    } catch (error) {
      if (!(error instanceof Conflicts)) {
        problem.value = messageOf(error);
        return;
      }
      decisions.value = new Map([...decisions.value, ...error.list.map(({ field }) => [field, false] as const)]);
      preview.value = { change, conflicts: error.list, lines: [] };
      await ask(change);
    }
  };
  const review = async (edited: Record<string, unknown>, schema: Schema | undefined) => {
    decisions.value = new Map();
    preview.value = undefined;
    const plan = planEdit(editable(object), edited, schema);
    if (plan.applied === undefined && plan.removed.length === 0) problem.value = 'Nothing has changed.';
    else await ask({ kind, object, edited, plan, schema });
  };
  const save = async ({ change }: Preview) => {
    try {
      const saved = await send(change, decisions.value, false);
      preview.value = undefined;
      onSaved(saved);
    } catch (error) {
      preview.value = undefined;
      problem.value = messageOf(error);
    }
  };
  const decide = (field: string, takesOver: boolean) => {
    decisions.value = new Map(decisions.value).set(field, takesOver);
    if (preview.value !== undefined) void ask(preview.value.change);
  };
  const dialog = preview.value !== undefined && (
    <Dialog title="What the server will change" isWide onClose={() => closePreview(preview)}>
      <ConflictList conflicts={preview.value.conflicts} decisions={decisions.value} onDecide={decide} />
      <DiffView lines={preview.value.lines} />
      <footer>
        <button type="button" onClick={() => closePreview(preview)}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={preview.value.lines.length === 0}
          onClick={() => preview.value && void save(preview.value)}
        >
          Apply
        </button>
      </footer>
    </Dialog>
  );
  return { problem, review, dialog };
}

const closePreview = (preview: { value: Preview | undefined }) => {
  preview.value = undefined;
};

interface ConflictProps {
  readonly conflicts: readonly Conflict[];
  readonly decisions: Decisions;
  onDecide(field: string, takesOver: boolean): void;
}

function ConflictList({ conflicts, decisions, onDecide }: ConflictProps) {
  if (conflicts.length === 0) return null;
  return (
    <fieldset class="conflicts">
      <legend>Other managers own these fields</legend>
      {conflicts.map(({ field, message }) => (
        <label key={field}>
          <input
            type="checkbox"
            checked={decisions.get(field) ?? false}
            onChange={({ currentTarget }) => onDecide(field, currentTarget.checked)}
          />
          <span>
            Take over <code>{field}</code>
          </span>
          <small>{message}</small>
        </label>
      ))}
    </fieldset>
  );
}

export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }) {
  if (!lines.some(({ kind }) => kind === 'added' || kind === 'removed')) return <p>No difference.</p>;
  const signs = { added: '+', removed: '−', same: ' ', gap: ' ' } as const;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long difference scrolls by keys
    <pre class="diff" tabIndex={0} role="region" aria-label="Difference">
      {lines.map(({ kind, text }, at) => (
        <div key={`${at} ${text}`} class={kind}>
          {signs[kind]} {text}
        </div>
      ))}
    </pre>
  );
}

/** What differs after every write says nothing. */
function withoutNoise(object: ApiObject): Record<string, unknown> {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A dry run of an apply does not see the dry run of the removals before it. */
function withoutFields(object: Record<string, unknown>, { plan }: Change): Record<string, unknown> {
  const copy = structuredClone(object);
  for (const path of plan.removed) {
    const last = path.at(-1) as string | number;
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], copy);
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (typeof parent === 'object' && parent !== null) delete (parent as Record<string, unknown>)[last];
  }
  return copy;
}
