// What belongs to an object: owners, dependents, events, conditions.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getJson, RequestFailure } from '../api.ts';
import { canList, collectionPath, findKind, type Kind, kindOf, kinds } from '../discovery.ts';
import { ageText } from '../lists/table-rows.ts';
import { objectAddress } from '../router.ts';
import type { ApiObject } from './object-state.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

const age = (time: string | undefined) => ageText(Date.parse(time ?? ''), Date.now());

export function Conditions({ object }: { readonly object: ApiObject }) {
  const conditions = [...((object.status?.['conditions'] ?? []) as readonly Condition[])].sort((a, b) =>
    (b.lastTransitionTime ?? '').localeCompare(a.lastTransitionTime ?? ''),
  );
  if (conditions.length === 0) return <p class="hint">The object has no conditions.</p>;
  return (
    <ol class="timeline">
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <li key={type}>
          <time dateTime={lastTransitionTime}>{age(lastTransitionTime)}</time>
          <b class={status === 'True' ? 'good' : 'warn'}>
            {type}: {status}
          </b>
          <span>{[reason, message].filter(Boolean).join(' · ')}</span>
        </li>
      ))}
    </ol>
  );
}

interface EventObject {
  readonly metadata: { readonly uid: string; readonly creationTimestamp?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
}

export function Events({ object }: { readonly object: ApiObject }) {
  const events = useSignal<readonly EventObject[] | undefined>(undefined);
  const problem = useSignal('');
  const { uid = '', namespace = '' } = object.metadata;
  useEffect(() => {
    const kind = findKind('', '', 'events');
    if (kind === undefined) return;
    const path = `${collectionPath(kind, namespace)}?fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}&limit=200`;
    getJson<{ readonly items: readonly EventObject[] | null }>(path).then(
      ({ items }) => {
        events.value = items ?? [];
      },
      (error: Error) => {
        problem.value = error.message;
      },
    );
  }, [uid]);
  if (problem.value !== '') return <p class="bad">{problem.value}</p>;
  if (events.value === undefined) return <output>Loading…</output>;
  if (events.value.length === 0) return <p class="hint">There are no events about this object.</p>;
  return (
    <ol class="timeline">
      {[...events.value].reverse().map(({ metadata, type, reason, message, count = 1, lastTimestamp }) => (
        <li key={metadata.uid}>
          <time>{age(lastTimestamp ?? metadata.creationTimestamp)}</time>
          <b class={type === 'Warning' ? 'warn' : ''}>{reason}</b>
          <span>
            {message} {count > 1 && <small>× {count}</small>}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface Dependent {
  readonly kind: Kind;
  readonly metadata: ApiObject['metadata'];
}

const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** Objects of all kinds that name this one as their owner, as far as the user may list them. */
async function dependentsOf({ metadata: { uid, namespace = '' } }: ApiObject): Promise<readonly Dependent[]> {
  const listed = kinds.value.filter((kind) => canList(kind) && (namespace === '' || kind.namespaced));
  const found = await Promise.all(
    listed.map(async (kind) => {
      try {
        const path = collectionPath(kind, kind.namespaced ? namespace : '');
        const { items } = await getJson<{ readonly items: readonly ApiObject[] | null }>(path, {
          accept: metadataOnly,
        });
        const owned = (items ?? []).filter(({ metadata }) =>
          metadata.ownerReferences?.some((owner) => owner.uid === uid),
        );
        return owned.map(({ metadata }) => ({ kind, metadata }));
      } catch (error) {
        if (error instanceof RequestFailure) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

export function Relatives({ object }: { readonly object: ApiObject }) {
  const dependents = useSignal<readonly Dependent[] | undefined>(undefined);
  const isLooking = useSignal(false);
  const { namespace = '', ownerReferences = [] } = object.metadata;
  const look = async () => {
    isLooking.value = true;
    dependents.value = await dependentsOf(object);
    isLooking.value = false;
  };
  return (
    <>
      <h2>Owners</h2>
      {ownerReferences.length === 0 && <p class="hint">Nothing owns this object.</p>}
      <ul>
        {ownerReferences.map(({ apiVersion, kind: name, name: owner, uid, controller }) => {
          const kind = kindOf(apiVersion, name);
          const text = `${name} ${owner}`;
          return (
            <li key={uid}>
              {kind ? <a href={objectAddress(kind, kind.namespaced ? namespace : '', owner)}>{text}</a> : text}
              {controller && <small> controller</small>}
            </li>
          );
        })}
      </ul>
      <h2>Deleted with this object</h2>
      {dependents.value === undefined && (
        <button type="button" disabled={isLooking.value} onClick={() => void look()}>
          {isLooking.value ? 'Looking…' : 'Look in all kinds'}
        </button>
      )}
      {dependents.value?.length === 0 && <p class="hint">No object names this one as its owner.</p>}
      <ul>
        {dependents.value?.map(({ kind, metadata }) => (
          <li key={metadata.uid}>
            <a href={objectAddress(kind, metadata.namespace ?? '', metadata.name)}>
              {kind.kind} {metadata.name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
