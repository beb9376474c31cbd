// The first page: how many objects of each kind there are.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getJson, RequestFailure } from '../api.ts';
import { canList, collectionPath, groupTitle, type Kind, kinds } from '../discovery.ts';
import { listAddress } from '../router.ts';
import { serverVersion } from '../session.ts';

interface OneItem {
  readonly metadata: { readonly remainingItemCount?: number };
  readonly items: readonly unknown[] | null;
}

const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** The first object, and how many follow. Undefined where the user may not list. */
async function countOf(kind: Kind): Promise<number | undefined> {
  try {
    const { metadata, items } = await getJson<OneItem>(`${collectionPath(kind)}?limit=1`, { accept });
    return (items?.length ?? 0) + (metadata.remainingItemCount ?? 0);
  } catch (error) {
    if (error instanceof RequestFailure) return undefined;
    throw error;
  }
}

const keyOf = ({ group, plural }: Kind) => `${plural}.${group}`;

export function Home() {
  const counts = useSignal<ReadonlyMap<string, number | undefined>>(new Map());
  const version = useSignal('');
  useEffect(() => {
    void serverVersion().then(({ gitVersion }) => {
      version.value = gitVersion;
    });
    const listed = kinds.value.filter(canList);
    void Promise.all(listed.map(async (kind) => [keyOf(kind), await countOf(kind)] as const)).then((entries) => {
      counts.value = new Map(entries);
    });
  }, []);
  const shown = kinds.value.filter((kind) => canList(kind) && counts.value.get(keyOf(kind)) !== 0);
  const groups = Map.groupBy(shown, ({ group }) => group);
  return (
    <section class="home">
      <h1>
        Objects <small>{version}</small>
      </h1>
      {counts.value.size === 0 && <output class="loading">Counting…</output>}
      {counts.value.size > 0 &&
        [...groups].map(([group, members]) => (
          <section key={group}>
            <h2>{groupTitle(group)}</h2>
            <ul class="counts">
              {members.map((kind) => (
                <li key={kind.plural}>
                  <a href={listAddress(kind)}>
                    <span>{kind.kind}</span> <b>{counts.value.get(keyOf(kind))?.toLocaleString('en') ?? 'no right'}</b>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </section>
  );
}
