// The names of namespaces, for choices. Users who may not list them type the address instead.

import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getJson, RequestFailure } from '../api.ts';
import { collectionPath, findKind } from '../discovery.ts';

const names = signal<readonly string[]>([]);
const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

interface NameList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[] | null;
}

async function refresh(): Promise<void> {
  const kind = findKind('', '', 'namespaces');
  if (kind === undefined) return;
  try {
    const { items } = await getJson<NameList>(`${collectionPath(kind)}?limit=1000`, { accept });
    names.value = (items ?? []).map(({ metadata }) => metadata.name);
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
  }
}

export function useNamespaces(): { readonly names: Signal<readonly string[]>; refresh(): void } {
  useEffect(() => void refresh(), []);
  return { names, refresh: () => void refresh() };
}
