// What can be done to an object besides editing it, where its kind has the subresource and the user the right.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { getJson, messageOf, sendJson } from '../api.ts';
import { type Kind, objectPath } from '../discovery.ts';
import { rightOf } from '../rights.ts';
import type { ApiObject } from './object-state.ts';

interface Action {
  readonly title: string;
  readonly verb: string;
  readonly subresource: string;
  /** Asks for a number first. */
  readonly number?: number;
  run(path: string, object: ApiObject, value: number): Promise<unknown>;
}

const mergePatch = 'application/merge-patch+json';

const decide = (type: 'Approved' | 'Denied') => async (path: string) => {
  const request = await getJson<ApiObject & { readonly status?: { readonly conditions?: readonly object[] } }>(path);
  const condition = { type, status: 'True', reason: 'KeelsonConsole', message: 'Decided in the console.' };
  const status = { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] };
  return sendJson('PUT', `${path}/approval`, { ...request, status });
};

function actionsOf({ group, plural, subresources }: Kind, object: ApiObject): readonly Action[] {
  const actions: Action[] = [];
  if (subresources.includes('scale'))
    actions.push({
      ...{ title: 'Scale', verb: 'patch', subresource: 'scale', number: Number(object.spec?.['replicas'] ?? 1) },
      run: (path, _, replicas) => sendJson('PATCH', `${path}/scale`, { spec: { replicas } }, mergePatch),
    });
  if (subresources.includes('approval'))
    actions.push(
      { title: 'Approve', verb: 'update', subresource: 'approval', run: decide('Approved') },
      { title: 'Deny', verb: 'update', subresource: 'approval', run: decide('Denied') },
    );
  if (subresources.includes('eviction'))
    actions.push({
      ...{ title: 'Evict', verb: 'create', subresource: 'eviction' },
      run: (path, { metadata: { name, namespace } }) =>
        sendJson('POST', `${path}/eviction`, {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name, namespace },
        }),
    });
  if (group === '' && plural === 'nodes') {
    const isCordoned = object.spec?.['unschedulable'] === true;
    actions.push({
      ...{ title: isCordoned ? 'Uncordon' : 'Cordon', verb: 'patch', subresource: '' },
      run: (path) => sendJson('PATCH', path, { spec: { unschedulable: isCordoned ? null : true } }, mergePatch),
    });
  }
  return actions;
}

interface ActionsProps {
  readonly kind: Kind;
  readonly object: ApiObject;
  onDone(): void;
}

export function Actions({ kind, object, onDone }: ActionsProps) {
  return (
    <>
      {actionsOf(kind, object).map((action) => (
        <ActionButton key={action.title} action={action} kind={kind} object={object} onDone={onDone} />
      ))}
    </>
  );
}

function ActionButton({ action, kind, object, onDone }: ActionsProps & { readonly action: Action }) {
  const { title, verb, subresource, number } = action;
  const { name, namespace = '' } = object.metadata;
  const right = useMemo(
    () => rightOf(kind, verb, namespace, name, subresource),
    [kind, verb, namespace, name, subresource],
  );
  const value = useSignal(number ?? 0);
  const problem = useSignal('');
  const run = async () => {
    problem.value = '';
    try {
      await action.run(objectPath(kind, namespace, name), object, value.value);
      onDone();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <span class="action">
      {number !== undefined && (
        <input
          type="number"
          min="0"
          aria-label="Replicas"
          value={value}
          onInput={({ currentTarget }) => {
            value.value = currentTarget.valueAsNumber;
          }}
        />
      )}
      <button
        type="button"
        disabled={right.value?.allowed !== true}
        title={right.value?.reason ?? ''}
        onClick={() => void run()}
      >
        {title}
      </button>
      {problem.value !== '' && (
        <span class="bad" role="alert">
          {problem.value}
        </span>
      )}
    </span>
  );
}
