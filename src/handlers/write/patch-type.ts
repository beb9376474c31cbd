// The media types of patches.

import { unsupportedMediaType } from '../../meta/status.ts';
import type { Call } from '../call.ts';

export const jsonPatch = 'application/json-patch+json';
export const mergePatch = 'application/merge-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';
export const applyPatch = 'application/apply-patch+yaml';

const allTypes = [jsonPatch, mergePatch, strategicPatch, applyPatch];
const withoutStrategic = allTypes.filter((type) => type !== strategicPatch);

/** compat: one type of several is enough to find a path, and then only a single one is taken */
export function isPatchType(contentType = ''): boolean {
  return contentType.split(',').some((one) => allTypes.includes(withoutParameters(one).trim()));
}

/** Throws a 415 for a type that the resource cannot be patched with. */
export function patchTypeOf({ exchange, resource: { definition } }: Call): string {
  const type = withoutParameters(exchange.request.header('content-type') ?? '');
  const offered = definition.strategicMergePatch === false ? withoutStrategic : allTypes;
  if (!offered.includes(type)) throw unsupportedMediaType(offered);
  return type;
}

const withoutParameters = (type: string): string => type.split(';', 1)[0] as string;
