// Names of resources by the keys of their objects in a store, without a server that serves them.

import { builtInGroups } from '../groups/catalog.ts';
import type { Dialect } from '../meta/dialect.ts';

const fullName = (plural: string, group: string) => (group === '' ? plural : `${plural}.${group}`);

/** How kubectl names the resource that a key in the store belongs to: `pods`, `deployments.apps`, `widgets.example.org`. */
export function storedNames(dialect: Dialect): (key: string) => string {
  const names = new Map<string, string>();
  for (const { resources } of builtInGroups(dialect))
    for (const { storagePrefix, plural, group, conversion } of resources)
      if (conversion === undefined) names.set(storagePrefix, fullName(plural, group));
  return (key) => {
    const [, first = '', second = ''] = key.split('/');
    const name = names.get(`${first}/${second}`) ?? names.get(first);
    // groups have a dot in their names, and resources have none
    return name ?? (first.includes('.') ? fullName(second, first) : first);
  };
}
