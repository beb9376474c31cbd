// POST to a collection.

import { isPromise } from '../../base/maybe-promise.ts';
import { requireFormat } from '../../codec/body.ts';
import { type ApiObject, withMeta } from '../../meta/object.ts';
import { create as createObject } from '../../registry/create.ts';
import { answerObject } from '../answer.ts';
import type { VerbHandler } from '../call.ts';
import { admitter } from '../call-admission.ts';
import { representationOf } from '../representation.ts';
import { withOwners } from './field-management.ts';
import { admittingComplete } from './incomplete-object.ts';
import { mutatedObject } from './mutated-object.ts';
import { afterAdmission, withoutRepeatedOwners } from './owner-references.ts';
import { readObject } from './read-object.ts';
import { commitGuard, warner } from './write-hooks.ts';
import { writeParameters } from './write-parameters.ts';

export const create: VerbHandler = async (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  // compat: told before the options of a create, and after those of an update
  requireFormat(exchange.request.header('content-type'), services.dialect);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'CreateOptions');
  const input = await readObject(call, fieldValidation);
  const sent = withoutRepeatedOwners(notDeleted(input.object), exchange);
  const managed = withOwners(call, sent, undefined, input.managers);
  const object = isPromise(managed) ? await managed : managed;
  const mutated = mutatedObject(call, { operation: 'CREATE', object, oldObject: undefined, dryRun });
  const admitted = isPromise(mutated) ? await mutated : mutated;
  const options = {
    dryRun,
    user: exchange.user,
    warn: warner(call),
    beforeCommit: commitGuard(call),
    notes: exchange.notes,
    moveIfPossible: () => exchange.moveIfPossible(),
    admit: admittingComplete(
      call,
      admitter(call, dryRun, () => 'CREATE'),
    ),
  };
  const wanted = withoutRepeatedOwners(admitted, exchange, afterAdmission);
  const stored = await createObject(registry, wanted, options);
  return answerObject(call, stored, form, 201);
};

/** A new object is not being deleted, and no manager owns the fields that say so. */
function notDeleted(object: ApiObject): ApiObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if ((deletionTimestamp ?? deletionGracePeriodSeconds) === undefined) return object;
  return withMeta(object, { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined });
}
