// Creating an object: the server's own metadata, the kind's rules, a unique name, and the write.

import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { findAll } from '../meta/find-each.ts';
import { generateName } from '../meta/names.ts';
import { type ApiObject, withMeta } from '../meta/object.ts';
import { zeroRevision } from '../meta/revision.ts';
import { alreadyExists, forbidden, generateNameConflict, plainError } from '../meta/status.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import { ownMetaOnCreate, validateMeta, withoutStatus } from './object-meta.ts';
import type { Registry } from './registry.ts';
import type { StoredObject } from './stored-object.ts';
import { throwIfInvalid } from './throw-if-invalid.ts';
import { withAllocation } from './with-allocation.ts';
import { sendWarnings, type WriteOptions } from './write-options.ts';

/** With five random characters a clash is rare; eight in a row mean that the prefix is crowded. */
const nameAttempts = 8;

/** `input` was decoded, defaulted and admitted. */
export async function create(registry: Registry, input: ApiObject, options: WriteOptions): Promise<StoredObject> {
  const { refusesNew } = registry.definition;
  if (refusesNew !== undefined) throw forbidden(registry.subject(input.metadata.name ?? ''), refusesNew);
  const { name, generateName: prefix } = input.metadata;
  const generated = !name && (!!prefix || registry.definition.quirks?.namesItself === true);
  for (let attempt = 1; ; attempt++) {
    const named = generated ? withMeta(input, { name: prefix ? generateName(prefix) : registry.newUid() }) : input;
    const created = await withAllocation(registry, named, undefined, options.dryRun, async (object) => {
      const prepared = prepare(registry, object, options);
      const ready = isPromise(prepared) ? await prepared : prepared;
      if (hasVersion(input) && !options.dryRun)
        throw plainError('resourceVersion should not be set on objects to be created');
      const stored = await store(registry, ready, options, input.metadata.resourceVersion);
      return { stored, kept: stored !== undefined };
    });
    if (created.stored !== undefined) return created.stored;
    const subject = registry.subject(named.metadata.name ?? '');
    // compat: a name that is taken is told as one that was generated where a prefix is given next to it
    const refuse = prefix ? generateNameConflict : alreadyExists;
    if (!generated) throw refuse(subject, await isGoing(registry, named));
    if (attempt === nameAttempts) throw generateNameConflict(subject);
  }
}

/** Whether who has the name is being deleted. */
async function isGoing(registry: Registry, { metadata: { namespace = '', name = '' } }: ApiObject): Promise<boolean> {
  const holder = await registry.read(registry.key({ namespace, name }));
  return holder !== undefined && registry.kind.materialize(holder)?.parse().metadata.deletionTimestamp !== undefined;
}

/** compat: a version that is no number counts as none */
function hasVersion({ metadata: { resourceVersion = '' } }: ApiObject): boolean {
  return /^\d+$/.test(resourceVersion) && Number(resourceVersion) > 0;
}

function prepare(registry: Registry, input: ApiObject, options: WriteOptions): MaybePromise<ApiObject> {
  const { strategy, definition } = registry;
  const { warn } = options;
  const context = registry.contextFor(options);
  const hasGeneration = definition.generationIgnores !== undefined && definition.quirks?.generationBegins !== 'later';
  const owned = ownMetaOnCreate(input, { uid: registry.newUid(), now: registry.clock.now(), hasGeneration });
  const fresh = definition.quirks?.statusComesWithCreate ? owned : withoutStatus(definition, owned);
  const given = registry.offFields.without(definition.type, fresh);
  const object = strategy.prepareForCreate?.(given, context) ?? given;
  if (warn) sendWarnings(warn, strategy.earlyWarnings?.(given, context) ?? []);
  const errors = validateNew(registry, object, context);
  return andThen(throwIfInvalid(registry, object, undefined, errors, options), () => {
    if (warn) sendWarnings(warn, strategy.warnings?.(object, undefined, context) ?? []);
    return object;
  });
}

function validateNew({ strategy, definition }: Registry, object: ApiObject, context: StrategyContext) {
  return findAll([
    () => validateMeta(object.metadata, definition, context.dialect),
    () => strategy.validateName?.(object, context),
    () => strategy.validate?.(object, context),
    () => strategy.validateWrite?.(object, undefined, context),
    () => strategy.validateCreate?.(object, context),
  ]);
}

/** Undefined when the name is taken. */
async function store(
  registry: Registry,
  object: ApiObject,
  options: WriteOptions,
  said: string | undefined,
): Promise<StoredObject | undefined> {
  const { name = '', namespace = '' } = object.metadata;
  const key = registry.key({ namespace, name });
  const admitted = options.admit?.(object, undefined);
  if (isPromise(admitted)) await admitted;
  const drafted = registry.draft(object);
  const draft = isPromise(drafted) ? await drafted : drafted;
  const { value } = draft;
  // compat: a dry run shows the version that the client gave, as it never got one
  if (options.dryRun)
    return (await registry.read(key)) ? undefined : registry.preview({ key, value, revision: zeroRevision }, said);
  options.beforeCommit?.();
  const result = await registry.commit({ key, value, expected: zeroRevision }, options.notes);
  return result.kind === 'committed' ? registry.committed(draft, key, result.revision) : undefined;
}
