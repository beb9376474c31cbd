// The kinds that the server has, by discovery.

import { signal } from '@preact/signals';
import { getJson } from './api.ts';

export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
}

interface GroupList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
        readonly scope: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

export const kinds = signal<readonly Kind[]>([]);

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Each kind in the version that the server prefers. */
export async function discover(): Promise<void> {
  const [core, named] = await Promise.all([
    getJson<GroupList>('/api', { accept }),
    getJson<GroupList>('/apis', { accept }),
  ]);
  kinds.value = [...core.items, ...named.items].flatMap(({ metadata: { name: group = '' }, versions }) => {
    const found = new Map<string, Kind>();
    for (const { version, resources = [] } of versions) {
      for (const { resource, responseKind, scope, verbs, shortNames = [], subresources = [] } of resources) {
        if (found.has(resource)) continue;
        found.set(resource, {
          ...{ group, version, plural: resource, verbs, shortNames },
          kind: responseKind?.kind ?? resource,
          namespaced: scope === 'Namespaced',
          subresources: subresources.map(({ subresource }) => subresource),
        });
      }
    }
    return [...found.values()];
  });
}

export const canList = ({ verbs }: Kind) => verbs.includes('list');

export const groupTitle = (group: string) => (group === '' ? 'core' : group);

export function findKind(group: string, version: string, plural: string): Kind | undefined {
  return kinds.value.find(
    (one) => one.group === group && one.plural === plural && (version === '' || one.version === version),
  );
}

/** The kind of an object, by what the object states. */
export function kindOf(apiVersion: string, kind: string): Kind | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return kinds.value.find((one) => one.group === group && one.kind === kind);
}

export const apiVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>) =>
  group === '' ? version : `${group}/${version}`;

export function collectionPath({ group, version, plural }: Kind, namespace = ''): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === '' ? `${root}/${plural}` : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

export const objectPath = (kind: Kind, namespace: string, name: string) =>
  `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
