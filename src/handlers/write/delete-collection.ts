// DELETE of a collection: every object that a list would show. compat: the answer shows them as they were listed.

import { mapBounded } from '../../base/maps/bounded.ts';
import { ApiError, badRequest } from '../../meta/status.ts';
import { list as listObjects, pagesOf } from '../../registry/list.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Call, VerbHandler } from '../call.ts';
import { answerPage, selectionOf } from '../list/list.ts';
import { refuseUnreadable } from '../list/unreadable.ts';
import { listPosition } from '../read-at.ts';
import { representationOf } from '../representation.ts';
import { type DeleteCall, deleteObject, readDeleteRequest } from './delete.ts';

export const deleteCollection: VerbHandler = async (call) => {
  const form = representationOf(call);
  const selection = selectionOf(call);
  const position = listPosition(call.exchange.query, call.services);
  const request = await readDeleteRequest(call);
  // no request deletes across namespaces
  if (call.resource.definition.namespaced && call.ref.namespace === '')
    throw badRequest('Namespace parameter required.');
  const page = await listObjects(call.registry, { ...position, selection });
  await refuseUnreadable(call);
  for (const { size } of page.objects) call.exchange.moveIfLarge(size);
  // some objects may be gone before a large one comes
  call.exchange.stay();
  const objects: StoredObject[] = [];
  for await (const slice of pagesOf(page)) {
    await mapBounded(slice, call.services.deleteCollectionWorkers, (stored) => deleteListed(call, stored, request));
    objects.push(...slice);
  }
  const { rest: _, ...answer } = page;
  return answerPage(call, { ...answer, objects }, form);
};

/** Another client may be faster. */
async function deleteListed(call: Call, listed: StoredObject, request: DeleteCall): Promise<void> {
  const name = listed.field('metadata.name');
  const namespace = call.resource.definition.namespaced ? listed.field('metadata.namespace') : '';
  try {
    await deleteObject(call, name, namespace, request);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  }
}
