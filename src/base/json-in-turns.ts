// JSON texts that may be large, read in turns with other work.

import type { JsonValue } from './json.ts';
import { type JsonVisitor, parseJsonText, scanJsonInTurns } from './json-scan.ts';
import { weighingJson } from './json-weight.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { inTurns } from './steps.ts';

/** What `scanJson` reads. */
export async function readJsonInTurns(text: string, visitor?: JsonVisitor): Promise<JsonValue> {
  const { large } = await inTurns(weighingJson(text));
  return scanJsonInTurns(text, large, visitor);
}

/** Whatever is in so short a text, it is parsed within a turn. */
const maxTextAtOnce = 128 * 1024;

/** At once where that is quick. */
export function parseJsonInTurns(text: string): MaybePromise<JsonValue> {
  return text.length <= maxTextAtOnce ? parseJsonText(text) : readJsonInTurns(text);
}
