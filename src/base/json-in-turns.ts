// JSON texts that may be large, read in turns with other work.

import type { JsonValue } from './json.ts';
import { type JsonVisitor, scanJsonInTurns } from './json-scan.ts';
import { weighingJson } from './json-weight.ts';
import { inTurns } from './steps.ts';

/** What `scanJson` reads. */
export async function readJsonInTurns(text: string, visitor?: JsonVisitor): Promise<JsonValue> {
  const { large } = await inTurns(weighingJson(text));
  return scanJsonInTurns(text, large, visitor);
}
