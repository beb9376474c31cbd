// What the bytes of a pod show without parsing it. A label can look like a field, so an answer may hold for too many pods.

import { bufferOf } from '../../base/bytes.ts';

const quote = 0x22;
const unfinishedPhases: ReadonlySet<string> = new Set(['Pending', 'Running', 'Unknown']);
const nodeField = Buffer.from('"nodeName":"');
const phaseField = Buffer.from('"phase":"');

/** Names of nodes that the pod may be assigned to. */
export const nodeNamesIn = (json: Uint8Array): readonly string[] => textsOf(json, nodeField);

/** False where the pod certainly has not ended. */
export function mayBeTerminated(json: Uint8Array): boolean {
  const phases = textsOf(json, phaseField);
  return phases.length === 0 || phases.some((phase) => !unfinishedPhases.has(phase));
}

/** A pod without a phase counts as one that has ended, as for kube-controller-manager. */
export const isTerminatedPhase = (phase: string | undefined): boolean => !unfinishedPhases.has(phase ?? '');

function textsOf(json: Uint8Array, field: Buffer): readonly string[] {
  const bytes = bufferOf(json);
  const texts: string[] = [];
  for (let at = bytes.indexOf(field); at >= 0; at = bytes.indexOf(field, at)) {
    at += field.length;
    texts.push(bytes.toString('utf8', at, Math.max(at, bytes.indexOf(quote, at))));
  }
  return texts;
}
