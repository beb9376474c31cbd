// Who writes, and through what: the field manager of a call.

import { FieldManager, type GivenManagers } from '../../apply/field-manager.ts';
import { emptySet } from '../../apply/fields/field-set.ts';
import type { Versions } from '../../apply/merge/ownership.ts';
import { fieldAt, type ViewField } from '../../apply/merge/view-managers.ts';
import { objectTopology } from '../../apply/typed/object-topology.ts';
import type { StructTopology } from '../../apply/typed/topology.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ExpectedKind } from '../../codec/decode-object.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { groupName, lastAppliedAnnotation } from '../../meta/dialect.ts';
import type { Exchange } from '../../meta/exchange.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import { asManagerName } from '../../meta/manager-name.ts';
import type { ApiObject } from '../../meta/object.ts';
import { badRequest, plainError } from '../../meta/status.ts';
import { formatTime } from '../../meta/time.ts';
import type { Registry } from '../../registry/registry.ts';
import { asHeld } from '../../schema/decode.ts';
import type { KindReference } from '../../schema/kind-reference.ts';
import { topLevelFields } from '../../schema/object-type.ts';
import type { PartSubresource } from '../../schema/part-subresource.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { ViewSubresource } from '../../schema/subresource.ts';
import { restored, restoreProblem } from '../../wording/types/restore-problem.ts';
import type { Call } from '../call.ts';

const managers = new WeakMap<Registry, Map<string, FieldManager>>();

/** Made on first use: most kinds are never written. */
function fieldManagerOf({ registry, subresource, services: { dialect } }: Call): FieldManager {
  let bySubresource = managers.get(registry);
  if (bySubresource === undefined) {
    bySubresource = new Map();
    managers.set(registry, bySubresource);
  }
  const name = subresource?.name ?? '';
  let manager = bySubresource.get(name);
  if (manager === undefined) {
    manager =
      subresource?.is === 'view' ? makeViewManager(subresource, dialect) : makeFieldManager(registry, name, dialect);
    bySubresource.set(name, manager);
  }
  return manager;
}

function makeFieldManager(registry: Registry, subresource: string, dialect: Dialect): FieldManager {
  const { definition } = registry;
  return new FieldManager({
    type: definition.type,
    apiVersion: formatApiVersion(definition),
    subresource,
    ignored: resetFieldsOf(definition, subresource),
    versions: versionsOf(registry, subresource),
    lastAppliedAnnotation: lastAppliedAnnotation(dialect),
    tracksAlways: dialect.rules.managedFieldsReset === 'recorded',
    refuseMisfit: misfitRefusal(dialect),
  });
}

/** A view is of a kind and version of its own, of which there is no other. */
function makeViewManager({ type, shows, name, applyProblem }: ViewSubresource, dialect: Dialect): FieldManager {
  return new FieldManager({
    ...{ type, apiVersion: viewVersion(shows, dialect), subresource: name, ignored: [], applyProblem },
    lastAppliedAnnotation: lastAppliedAnnotation(dialect),
    tracksAlways: dialect.rules.managedFieldsReset === 'recorded',
    refuseMisfit: misfitRefusal(dialect),
  });
}

const viewVersion = ({ group, version }: KindReference, dialect: Dialect): string =>
  formatApiVersion({ group: groupName(dialect, group), version });

/** The field that a view shows: each version of the parent may have it elsewhere, or not at all. */
export function viewFieldOf({ registry, services }: Call, { name, shows, field }: ViewSubresource): ViewField {
  const { definition, versions } = registry;
  return {
    apiVersion: viewVersion(shows, services.dialect),
    fields: fieldAt(field.inView),
    parentVersion: formatApiVersion(definition),
    fieldsIn(apiVersion) {
      const version = versions.find(apiVersion);
      if (version?.group !== definition.group) return undefined;
      const view = version.subresources?.find((one) => one.name === name);
      return view?.is === 'view' ? fieldAt(view.field.inParent) : emptySet;
    },
  };
}

/** How a configuration is refused that does not fit its kind. */
export const misfitRefusal = ({ rules }: Dialect): ((text: string) => Error) =>
  rules.applyValidation === 'typed' ? plainError : badRequest;

/** Managers may have written in any version that is still known. */
function versionsOf(registry: Registry, subresource: string): Versions {
  const { definition, versions } = registry;
  const topologies = new WeakMap<ResourceDefinition, StructTopology>();
  return {
    topologyOf(apiVersion) {
      const version = versions.find(apiVersion);
      // compat: who wrote to the same object in another group owns nothing in this one
      if (version?.group !== definition.group) return undefined;
      const topology = topologies.get(version) ?? objectTopology(version.type, resetFieldsOf(version, subresource));
      topologies.set(version, topology);
      return topology;
    },
    convert(object, from, to) {
      const [source, target] = [versions.find(from), versions.find(to)];
      if (source === undefined || target === undefined) return object;
      const whole = held(source, { ...object, ...typeMetaOf(source) } as ApiObject);
      return andThen(registry.convert(whole, target), (converted) => held(target, converted));
    },
  };
}

/** What was taken out of an object may have left nothing where its type always has something. */
function held(definition: ResourceDefinition, object: ApiObject): ApiObject {
  const { type } = definition;
  if (type.is !== 'struct') return object;
  const value = object as unknown as JsonObject;
  const problem = restoreProblem(type, value);
  if (problem === undefined) return asHeld(type, restored(type, value) as JsonObject) as unknown as ApiObject;
  const apiVersion = formatApiVersion(definition);
  const kind = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${definition.kind}`;
  throw plainError(`failed to convert new object: unable to convert unstructured object to ${kind}: ${problem}`);
}

const typeMetaOf = (definition: ResourceDefinition) => ({
  kind: definition.kind,
  apiVersion: formatApiVersion(definition),
});

/** Unless the definition says otherwise, status is written through its subresource only, and nothing else there. */
function resetFieldsOf(definition: ResourceDefinition, subresource: string): readonly string[] {
  const declared = subresource === '' ? definition.resetFields : partOf(definition, subresource)?.resetFields;
  if (declared !== undefined) return declared;
  if (!definition.subresources?.some(({ name }) => name === 'status')) return [];
  if (subresource !== 'status') return ['status'];
  return topLevelFields(definition.type).filter((name) => name !== 'status' && name !== 'metadata');
}

function partOf({ subresources = [] }: ResourceDefinition, wanted: string): PartSubresource | undefined {
  const found = subresources.find(({ name }) => name === wanted);
  return found?.is === 'part' ? found : undefined;
}

/** The object of a write that is no apply, with its managedFields. `sent` is what the client said of those. */
export function withOwners(
  call: Call,
  next: ApiObject,
  live: ApiObject | undefined,
  sent: GivenManagers,
): MaybePromise<ApiObject> {
  const { exchange } = call;
  const now = formatTime(call.services.clock.now());
  const input = { live, next, given: sent, manager: managerOf(exchange), now };
  return fieldManagerOf(call).update(input);
}

const actionManagers = new WeakMap<Registry, Map<string, FieldManager>>();

/** As `withOwners`, for an object that is answered and not stored. */
export function withOwnersAnswered(
  call: Call,
  expected: ExpectedKind,
  next: ApiObject,
  given: GivenManagers,
): MaybePromise<ApiObject> {
  const now = formatTime(call.services.clock.now());
  const input = { live: undefined, next, given, manager: managerOf(call.exchange), now };
  return answeredManagerOf(call, expected).update(input);
}

function answeredManagerOf(
  { registry, subresource, services: { dialect } }: Call,
  expected: ExpectedKind,
): FieldManager {
  const byKind = actionManagers.get(registry) ?? new Map<string, FieldManager>();
  actionManagers.set(registry, byKind);
  const apiVersion = formatApiVersion(expected);
  const name = subresource?.name ?? '';
  // bindings are posted by themselves and through pods
  const key = `${name} ${apiVersion} ${expected.kind}`;
  const manager =
    byKind.get(key) ??
    new FieldManager({
      ...{ type: expected.type, apiVersion, subresource: name, ignored: [] },
      lastAppliedAnnotation: lastAppliedAnnotation(dialect),
      tracksAlways: dialect.rules.managedFieldsReset === 'recorded',
    });
  byKind.set(key, manager);
  return manager;
}

/** A configuration merged into the live object, before defaults. */
export function mergeConfiguration(
  call: Call,
  live: ApiObject | undefined,
  config: JsonObject,
  force: boolean,
): MaybePromise<ApiObject> {
  const { exchange } = call;
  const now = formatTime(call.services.clock.now());
  const input = { live, config, force, manager: managerOf(exchange), now };
  return fieldManagerOf(call).apply(input);
}

/** The manager a client names, or the first word of its user agent. */
function managerOf({ query, request }: Exchange): string {
  return query.get('fieldManager') || fromUserAgent(request.header('user-agent') ?? '');
}

/** Headers are bytes to Node; what they say is UTF-8 here. */
function fromUserAgent(agent: string): string {
  const end = agent.indexOf('/');
  const first = end < 0 ? agent : agent.slice(0, end);
  return asManagerName(isAscii.test(first) ? first : Buffer.from(first, 'latin1').toString());
}

const isAscii = /^[ -~]*$/;

/** What the body of a write says about managedFields; `decoded` is the object made of it. */
export function sentManagers(
  value: JsonValue,
  decoded: ApiObject,
  dialect: Dialect,
  isDeclared: boolean,
): GivenManagers {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined;
  const list = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  if (!Array.isArray(list)) return 'none';
  // compat: an empty list of managedFields resets those of built-in kinds as one with an empty entry does
  if (list.length === 0) return isDeclared && dialect.rules.managedFieldsReset !== 'recorded' ? 'reset' : 'none';
  const entries = decoded.metadata.managedFields ?? [];
  const [first] = entries;
  return entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0 ? 'reset' : entries;
}
