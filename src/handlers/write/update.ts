// PUT of an object or of a part of one.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ApiObject } from '../../meta/object.ts';
import { type Change, update as updateObject } from '../../registry/update.ts';
import { answerObject } from '../answer.ts';
import type { Call, VerbHandler } from '../call.ts';
import { admitter, shownBy } from '../call-admission.ts';
import { representationOf } from '../representation.ts';
import { withOwners } from './field-management.ts';
import { admittingComplete } from './incomplete-object.ts';
import { mutatedObject } from './mutated-object.ts';
import { afterAdmission, withoutRepeatedOwners } from './owner-references.ts';
import { readObject } from './read-object.ts';
import { checkUrlName } from './url-match.ts';
import { commitGuard, warner } from './write-hooks.ts';
import { writeParameters } from './write-parameters.ts';

export const update: VerbHandler = async (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'UpdateOptions');
  const input = await readObject(call, fieldValidation);
  checkUrlName(input.object, call);
  const object = withoutRepeatedOwners(input.object, exchange);
  const { managers } = input;
  const next: Next = (current) => withOwners(call, object, current, managers);
  const expectedUid = object.metadata.uid;
  const mayCreate = call.subresource === undefined ? 'where allowed' : undefined;
  const result = await updateObject(registry, call.ref, admittedChange(call, dryRun, next, { expectedUid, mayCreate }));
  return answerObject(call, result.stored, form, result.created ? 201 : 200);
};

export type Next = Change['next'];

/** The right to change objects is not the right to make new ones. */
function demandCreate({ exchange, services }: Call): MaybePromise<void> {
  return services.requireAccess(exchange.user, { ...exchange.info, verb: 'create' });
}

/** The parent after admission changed what a subresource shows of it. */
function behind({ subresource }: Call, shown: ApiObject, parent: ApiObject): ApiObject {
  return subresource?.is === 'view' ? subresource.write(shown, parent) : shown;
}

/** A change of the stored object with admission around it. */
export function admittedChange(
  call: Call,
  dryRun: boolean,
  produce: Next,
  { expectedUid, mayCreate }: Pick<Change, 'expectedUid' | 'mayCreate'> = {},
): Change {
  const operation = (old: ApiObject | undefined) => (old === undefined ? 'CREATE' : 'UPDATE');
  return {
    dryRun,
    subresource: call.subresource?.is === 'part' ? call.subresource : undefined,
    expectedUid,
    mayCreate,
    permitCreate: () => demandCreate(call),
    next(current) {
      return andThen(produce(current), (object) => {
        const shown = shownBy(call, object) ?? object;
        const oldObject = shownBy(call, current);
        const request = { operation: operation(current), object: shown, oldObject, dryRun } as const;
        return andThen(mutatedObject(call, request), (next) => {
          const changed = next === shown ? object : behind(call, next, object);
          return withoutRepeatedOwners(changed, call.exchange, afterAdmission);
        });
      });
    },
    warn: warner(call),
    beforeCommit: commitGuard(call),
    notes: call.exchange.notes,
    moveIfLarge: (bytes) => call.exchange.moveIfLarge(bytes),
    moveIfPossible: () => call.exchange.moveIfPossible(),
    admit: admittingComplete(call, admitter(call, dryRun, operation)),
  };
}
