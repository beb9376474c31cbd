// Names of resources in an EncryptionConfiguration: `secrets`, `deployments.apps`, `*.apps`, `*.` for the group without
// a name, `*.*` for everything.

import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { invalidValue } from '../meta/field-errors.ts';
import type { FieldError } from '../meta/status.ts';
import type { EncryptionRule, GroupResource } from '../storage/encryption/transformers.ts';

export function parseGroupResource(name: string): GroupResource {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

const withoutApi = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']);

export function checkResources(names: readonly string[], at: string, dialect: Dialect): readonly FieldError[] {
  return [
    ...checkOverlap(names, at),
    ...names.flatMap((name, i) => {
      const problem = problemOf(name, dialect);
      return problem === undefined ? [] : [invalidValue(`${at}[${i}]`, name, problem)];
    }),
  ];
}

function problemOf(name: string, dialect: Dialect): string | undefined {
  const { group, resource } = parseGroupResource(name);
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (withoutApi.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const events = apiGroup(dialect, 'events');
  if (group === events)
    return `'*.${events}' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`;
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function checkOverlap(names: readonly string[], at: string): readonly FieldError[] {
  const all = names.map(parseGroupResource);
  const isTwice = new Set(names.map((name) => fullName(parseGroupResource(name)))).size < names.length;
  const masks = all.some((one, i) => all.some((other, j) => i !== j && covers(one, other)));
  return [
    ...(isTwice ? [invalidValue(at, names, 'the same resource cannot be specified multiple times')] : []),
    ...(masks ? [invalidValue(at, names, overlap)] : []),
  ];
}

const overlap =
  "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";

/** Whether a rule for `one` is also for `other`, which is another one. */
function covers(one: GroupResource, other: GroupResource): boolean {
  if (fullName(one) === fullName(other)) return false;
  return one.resource === '*' && (one.group === '*' || one.group === other.group);
}

/** A rule after one that covers it would never be looked at. */
export function refuseMasked(rules: readonly EncryptionRule[]): void {
  const earlier: GroupResource[] = [];
  for (const rule of rules)
    for (const resource of rule.resources) {
      const mask = earlier.find((one) => one.resource === '*' && (one.group === '*' || one.group === resource.group));
      if (mask !== undefined)
        throw new Error(`resource ${quotedName(resource)} is masked by earlier rule ${quotedName(mask)}`);
      earlier.push(resource);
    }
}

const quotedName = (resource: GroupResource) => JSON.stringify(fullName(resource));

function fullName({ group, resource }: GroupResource): string {
  if (group === '') return resource === '*' ? '*.' : resource;
  return `${resource}.${group}`;
}
