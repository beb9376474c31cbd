// Pages by their address. Addresses are data only: each part is decoded, and shown as text.

import { computed, signal } from '@preact/signals';
import type { Kind } from './discovery.ts';

const root = '/ui/';

const address = signal(location.pathname + location.search);
window.addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
});

export const route = computed(() => {
  const { pathname, searchParams } = new URL(address.value, location.origin);
  return { parts: pathname.slice(root.length).split('/').filter(Boolean).map(decodePart), query: searchParams };
});

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function go(path: string, replaces = false): void {
  if (replaces) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  address.value = path;
}

/** Changes the query of the page; empty values are left out. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const { pathname, searchParams } = new URL(address.value, location.origin);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') searchParams.delete(name);
    else searchParams.set(name, value);
  }
  const query = searchParams.toString();
  go(query === '' ? pathname : `${pathname}?${query}`, true);
}

const encoded = (...parts: readonly string[]) => root + parts.map(encodeURIComponent).join('/');

export const homeAddress = root;

export const pageAddress = (name: string) => encoded(name);

const listQuery = (path: string, namespace: string, more: Readonly<Record<string, string>> = {}) => {
  const query = new URLSearchParams({ ...(namespace === '' ? {} : { namespace }), ...more }).toString();
  return query === '' ? path : `${path}?${query}`;
};

/** The list as it is, or as it was at a revision. */
export const listAddress = ({ group, version, plural }: Kind, namespace = '', at?: number): string =>
  listQuery(encoded('list', group || 'core', version, plural), namespace, at === undefined ? {} : { at: String(at) });

export const historyAddress = ({ group, version, plural }: Kind, namespace = ''): string =>
  listQuery(encoded('history', group || 'core', version, plural), namespace);

/** An object without a namespace has `-` in its place. */
export const objectAddress = ({ group, version, plural }: Kind, namespace: string, name: string) =>
  encoded('object', group || 'core', version, plural, namespace || '-', name);

/** For links: the browser's own ways to open one in a new tab stay. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (link === null || link.origin !== location.origin || !link.pathname.startsWith(root) || !isPlain) return;
  event.preventDefault();
  go(link.pathname + link.search);
}
