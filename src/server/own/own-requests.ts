// Writes that the server asks of itself, through every stage that requests of clients pass.

import { type Client, RequestError } from '../../client/client.ts';
import { apiPath, type GroupVersionResource } from '../../meta/group-version.ts';
import { refusedByRule } from '../../meta/write-errors.ts';
import type { OwnRequests } from '../../schema/object-access.ts';

export function ownRequests(client: Client): OwnRequests {
  return {
    create: (resource, object) => answered(client.create(pathOf(resource, object.metadata.namespace ?? ''), object)),
    replacePart(resource, part, object) {
      const { namespace = '', name = '' } = object.metadata;
      return answered(client.replace(`${pathOf(resource, namespace, name)}/${part}`, object));
    },
    delete: (resource, { namespace, name }) => answered(client.delete(pathOf(resource, namespace, name))),
  };
}

function pathOf(resource: GroupVersionResource, namespace: string, name = ''): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${apiPath(resource)}${scope}/${resource.resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}

/** A refusal is the answer to the request that the server worked on. */
async function answered(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { code, reason, told, details } = error;
    throw refusedByRule({ code, message: told, ...(reason === '' ? {} : { reason }), ...(details && { details }) });
  }
}
