// GET of objects that are not stored: they are made for each request.

import type { ApiResponse } from '../../meta/exchange.ts';
import type { ApiObject } from '../../meta/object.ts';
import { zeroRevision } from '../../meta/revision.ts';
import { notFound } from '../../meta/status.ts';
import { EncodedObject } from '../../registry/encoded-object.ts';
import { selects } from '../../registry/selection.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import type { Computed, ResourceDefinition } from '../../schema/resource.ts';
import { answerObject } from '../answer.ts';
import type { Call } from '../call.ts';
import { answerUnversioned, selectionOf } from '../list/list.ts';
import { representationOf } from '../representation.ts';

export async function readComputed(call: Call, computed: Computed): Promise<ApiResponse> {
  const form = representationOf(call);
  const { definition } = call.resource;
  const { dialect, clock, components } = call.services;
  const made = await computed.objects({ dialect, clock, components });
  const objects = made.map((object) => unstored(definition, object));
  const { name } = call.ref;
  if (name === '') {
    const selection = selectionOf(call);
    const selected = objects.filter((object) => selects(selection, object));
    return answerUnversioned(call, selected, form);
  }
  const found = objects.find((object) => object.field('metadata.name') === name);
  if (found === undefined) throw notFound({ group: definition.group, resource: computed.missing, name });
  return answerObject(call, found, form);
}

function unstored(definition: ResourceDefinition, object: ApiObject): StoredObject {
  const { value } = new EncodedObject(object);
  return StoredObject.unversioned(definition, { key: object.metadata.name ?? '', value, revision: zeroRevision });
}
