// Names of OpenAPI documents that are known before the documents are built: hashes of everything that they are made of.

import { createHash } from 'node:crypto';
import { memoized } from '../../base/memoized.ts';
import { packageVersion } from '../../base/package-version.ts';
import { forEachInTurns } from '../../base/time/turns.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../../schema/resource.ts';

/** Undefined for group-versions with types that are declared here: what those look like is known from the document only. */
export async function customHash(groupVersion: GroupVersionDefinition): Promise<string | undefined> {
  const { resources } = groupVersion;
  if (resources.length === 0 || resources.some(({ type }) => type.is !== 'structural')) return undefined;
  const hash = createHash('sha512').update(`${writer()} ${formatApiVersion(groupVersion)}`);
  await forEachInTurns(resources, (definition) => {
    hash.update(definitionHash(definition));
  });
  return hash.digest('hex').toUpperCase();
}

/** Of a document that only depends on what it is about. */
export function subjectHash(subject: object): string {
  return createHash('sha512')
    .update(`${writer()} ${JSON.stringify(subject)}`)
    .digest('hex')
    .toUpperCase();
}

const definitionHash = memoized((definition: ResourceDefinition): string =>
  createHash('sha256')
    .update(JSON.stringify(partsOf(definition)))
    .digest('hex'),
);

/** Everything about a custom resource that its documents show. */
function partsOf({ type, subresources = [], ...definition }: ResourceDefinition): object {
  const { kind, plural, singular, namespaced, verbs, listKind, strategicMergePatch, deprecated } = definition;
  const { about } = type;
  const schema = type.is === 'structural' ? type.schema : undefined;
  const parts = subresources.map((sub) => [sub.name, sub.verbs]);
  const names = { kind, plural, singular, listKind, namespaced, verbs };
  return { ...names, parts, strategicMergePatch, deprecated, about, schema };
}

let written: string | undefined;

/** Another release may write the same in another way. */
function writer(): string {
  written ??= packageVersion();
  return written;
}
