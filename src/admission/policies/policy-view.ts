// Objects of a request in the version of the rule that matched it.

import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionEngines } from '../engines.ts';
import type { AdmissionRequest } from '../plugin.ts';
import type { MatchedRequest } from './expression-inputs.ts';

/** Subresources that show another kind show it in every version. */
export function isWhole({ definition, subresource }: AdmissionRequest): boolean {
  if (subresource === '') return true;
  return definition.subresources?.find(({ name }) => name === subresource)?.is === 'part';
}

export async function matchedAs(
  { convert }: Pick<AdmissionEngines, 'convert'>,
  request: AdmissionRequest,
  to: ResourceDefinition,
): Promise<MatchedRequest> {
  const { object, oldObject, definition } = request;
  if (to === definition || !isWhole(request)) return { request, resource: to, kind: request.kind, object, oldObject };
  const { group, version, kind } = to;
  return {
    request,
    resource: to,
    kind: { group, version, kind },
    object: object && (await convert(object, to, request)),
    oldObject: oldObject && (await convert(oldObject, to, request)),
  };
}
