// The resource that a person means by a word: plural, singular, short name or kind, perhaps with a group behind a dot.

import type { Resources } from '../registry/resources.ts';

interface NamedResource {
  readonly group: string;
  readonly resource: string;
}

/** The word itself where the server has no such resource: rights may be about resources that are still to come. */
export function findByName(resources: Resources, word: string): NamedResource {
  const dot = word.indexOf('.');
  const name = (dot < 0 ? word : word.slice(0, dot)).toLowerCase();
  const group = dot < 0 ? undefined : word.slice(dot + 1);
  for (const groupVersion of resources.groupVersions) {
    if (group !== undefined && groupVersion.group !== group) continue;
    for (const { plural, singular, kind, shortNames = [] } of groupVersion.resources)
      if (plural === name || singular === name || kind.toLowerCase() === name || shortNames.includes(name))
        return { group: groupVersion.group, resource: plural };
  }
  return { group: group ?? '', resource: dot < 0 ? word : word.slice(0, dot) };
}
