// Objects that are stored although the part of the server that would act on them is missing.

import type { StoredObject } from '../../registry/stored-object.ts';
import type { Call } from '../call.ts';

/** Says so to the client that created one, and to the log; a dry run creates nothing. */
export function warnOfNoEffect(call: Call, stored: StoredObject, dryRun: boolean): void {
  const { noEffectYet: about } = call.resource.definition;
  if (about === undefined || dryRun) return;
  const { dialect } = call.services;
  const object = stored.parse();
  if (about.applies?.(object, dialect) === false) return;
  call.exchange.warn(about.text);
  call.services.notice({ kind: object.kind, name: object.metadata.name }, about.text);
}
