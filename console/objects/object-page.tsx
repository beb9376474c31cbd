// One object: its text, what belongs to it, and what can be done to it.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { getJson, messageOf } from '../api.ts';
import { type Kind, objectPath } from '../discovery.ts';
import { useKeys } from '../keys.ts';
import { DeleteDialog } from '../lists/delete-dialog.tsx';
import { rightOf } from '../rights.ts';
import { listAddress, route } from '../router.ts';
import { lazyPage } from '../shell/lazy.tsx';
import { Actions } from './actions.tsx';
import type { ApiObject } from './object-state.ts';
import { Conditions, Events, Relatives } from './related.tsx';
import { YamlEditor } from './yaml-editor.tsx';

interface ObjectProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

const tabs = ['YAML', 'Conditions', 'Events', 'Relatives', 'History'] as const;

const ObjectHistory = lazyPage(async () => (await import('../history/object-history.tsx')).ObjectHistory);

type Tab = (typeof tabs)[number];

export function ObjectPage({ kind, namespace, name }: ObjectProps) {
  const object = useSignal<ApiObject | undefined>(undefined);
  const problem = useSignal('');
  const tab = useSignal<Tab>(tabs.find((one) => one === route.value.query.get('tab')) ?? 'YAML');
  const isDeleting = useSignal(false);
  const edit = useMemo(() => rightOf(kind, 'patch', namespace, name), []);
  const deletion = useMemo(() => rightOf(kind, 'delete', namespace, name), []);
  const load = async () => {
    try {
      object.value = await getJson<ApiObject>(objectPath(kind, namespace, name));
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  useEffect(() => void load(), []);
  useKeys([
    ...tabs.map((title, at) => ({
      keys: [String(at + 1)],
      help: title,
      run: () => {
        tab.value = title;
      },
    })),
    { keys: ['r'], help: 'Read the object again', run: () => void load() },
  ]);
  const current = object.value;
  const onSaved = (saved: ApiObject) => {
    object.value = saved;
  };
  const history = { kind, namespace, name, object: current, right: edit.value, onSaved };
  return (
    <section class="object">
      <header>
        <h1>
          <a href={listAddress(kind, namespace)}>{kind.kind}</a> {namespace === '' ? name : `${namespace} / ${name}`}
        </h1>
        {current !== undefined && (
          <Actions key={current.metadata.resourceVersion} kind={kind} object={current} onDone={() => void load()} />
        )}
        {current !== undefined && (
          <button
            type="button"
            class="danger"
            disabled={deletion.value?.allowed !== true}
            title={deletion.value?.reason ?? ''}
            onClick={() => {
              isDeleting.value = true;
            }}
          >
            Delete
          </button>
        )}
      </header>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {current !== undefined && (
        <>
          <div role="tablist" class="tabs" aria-label="Parts of the object">
            {tabs.map((title) => (
              <button
                key={title}
                type="button"
                role="tab"
                aria-selected={tab.value === title}
                onClick={() => {
                  tab.value = title;
                }}
              >
                {title}
              </button>
            ))}
          </div>
          <div role="tabpanel" class="panel" aria-label={tab.value}>
            {tab.value === 'YAML' && <YamlEditor kind={kind} object={current} right={edit.value} onSaved={onSaved} />}
            {tab.value === 'Conditions' && <Conditions object={current} />}
            {tab.value === 'Events' && <Events object={current} />}
            {tab.value === 'Relatives' && <Relatives object={current} />}
            {tab.value === 'History' && <ObjectHistory {...history} />}
          </div>
        </>
      )}
      {problem.value !== '' && <ObjectHistory {...history} />}
      {isDeleting.value && current !== undefined && (
        <DeleteDialog
          kind={kind}
          rows={[
            { uid: current.metadata.uid ?? '', name, namespace, createdAt: Number.NaN, isDeleting: false, cells: [] },
          ]}
          onClose={() => {
            isDeleting.value = false;
            void load();
          }}
        />
      )}
    </section>
  );
}
