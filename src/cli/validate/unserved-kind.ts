// Why a kind is not served: a version that was removed, one that is off, or a name that does not exist.

import { suggestion } from '../../base/text/nearest-name.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import { release } from '../../meta/release.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { ManifestObject } from '../manifests/read-manifests.ts';
import { type Finding, findingOf } from './finding.ts';

export function findingOfUnservedKind(object: ManifestObject, dialect: Dialect): Finding {
  const { apiVersion, kind } = object;
  const definitions = builtInGroups(dialect).flatMap(({ resources }) => resources);
  const definition = definitions.find((one) => one.kind === kind && formatApiVersion(one) === apiVersion);
  if (definition !== undefined) return ofKnownKind(object, definition, dialect);
  const message = `kind ${kind} of ${apiVersion} is not served${hintFor(object, definitions)}`;
  return findingOf(object, { rule: 'unknown-kind', field: 'kind', message });
}

function ofKnownKind(object: ManifestObject, definition: ResourceDefinition, dialect: Dialect): Finding {
  const { removed = Number.POSITIVE_INFINITY, replacement } = definition.deprecated ?? {};
  const name = `${object.kind} of ${object.apiVersion}`;
  if (removed > release.minor) {
    const message = `${name} is served only with --runtime-config=${object.apiVersion}=true`;
    return findingOf(object, { rule: 'unknown-kind', field: 'apiVersion', message });
  }
  const advised = replacement && { ...replacement, group: groupName(dialect, replacement.group) };
  const advice = advised === undefined ? '' : `; use ${formatApiVersion(advised)} ${advised.kind} (keelson convert)`;
  const message = `${name} is not served since 1.${removed}${advice}`;
  return findingOf(object, { rule: 'removed-version', field: 'apiVersion', message });
}

function hintFor({ apiVersion, kind }: ManifestObject, definitions: readonly ResourceDefinition[]): string {
  const sameKind = definitions.filter((one) => one.kind === kind && !isRemoved(one));
  if (sameKind.length > 0) return `; it is in ${[...new Set(sameKind.map(formatApiVersion))].join(', ')}`;
  const ofVersion = definitions.filter((one) => formatApiVersion(one) === apiVersion);
  const hint = suggestion(kind, [...new Set(ofVersion.map((one) => one.kind))]);
  return hint || (apiVersion.includes('.') ? '; give its definition with --crds' : '');
}

const isRemoved = ({ deprecated }: ResourceDefinition) => (deprecated?.removed ?? Number.MAX_VALUE) <= release.minor;
