// DELETE of a collection: every object that a list would show.

import { mapBounded } from '../base/bounded.ts';
import { ApiError } from '../meta/status.ts';
import { list as listObjects } from '../registry/list.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { admissionRequest, type Call, representationOf, type VerbHandler } from './call.ts';
import { admissionInput, type DeleteCall, deleteObject, readDeleteRequest } from './delete.ts';
import { answerPage, selectionOf } from './list.ts';
import { slicesOf } from './list-writer.ts';
import { listPosition } from './read-at.ts';
import { refuseUnreadable } from './unreadable.ts';

/** Deletes under way at a time: enough to fill a batch of the store, too few to push others aside. */
const atOnce = 32;

export const deleteCollection: VerbHandler = async (call) => {
  const form = representationOf(call);
  const request = await readDeleteRequest(call);
  await call.services.admission.mutate(admissionRequest(call, admissionInput(request.dryRun)));
  const position = listPosition(call.exchange.query, call.registry, call.services.dialect);
  const page = await listObjects(call.registry, { ...position, selection: selectionOf(call) });
  await refuseUnreadable(call);
  const objects: StoredObject[] = [];
  for await (const slice of slicesOf(page)) {
    const gone = await mapBounded(slice, atOnce, (stored) => deleteListed(call, stored, request));
    objects.push(...gone.filter((stored) => stored !== undefined));
  }
  const { rest: _, ...answer } = page;
  return answerPage(call, { ...answer, objects }, form);
};

/** Undefined when somebody else was faster. */
async function deleteListed(call: Call, listed: StoredObject, request: DeleteCall): Promise<StoredObject | undefined> {
  const name = listed.field('metadata.name');
  const namespace = call.resource.definition.namespaced ? listed.field('metadata.namespace') : '';
  try {
    return (await deleteObject(call, name, namespace, request)).stored;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}
