// Objects of a request in the version of the rule that matched it.

import { awaited, type Steps } from '../../base/steps.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionEngines } from '../engines.ts';
import type { AdmissionRequest } from '../plugin.ts';
import type { MatchedRequest } from './expression-inputs.ts';

/** Subresources that show another kind show it in every version. */
export function isWhole({ definition, subresource }: AdmissionRequest): boolean {
  if (subresource === '') return true;
  return definition.subresources?.find(({ name }) => name === subresource)?.is === 'part';
}

export function* matchedAs(
  { convert }: Pick<AdmissionEngines, 'convert'>,
  request: AdmissionRequest,
  to: ResourceDefinition,
): Steps<MatchedRequest> {
  const { object, oldObject, definition } = request;
  if (to === definition || !isWhole(request)) return { request, resource: to, kind: request.kind, object, oldObject };
  const { group, version, kind } = to;
  const converted = function* (one: ApiObject | undefined): Steps<ApiObject | undefined> {
    return one && (yield* awaited(convert(one, to, request)));
  };
  return {
    request,
    resource: to,
    kind: { group, version, kind },
    object: yield* converted(object),
    oldObject: yield* converted(oldObject),
  };
}
