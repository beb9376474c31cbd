// Ways in which volumes are mounted: what may be asked for, and how tables show it.

import { forbiddenField, notSupported } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import type { FieldError } from '../../../../meta/status.ts';

const short = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);
const known = [...short.keys()].sort();

/** `RWO,RWX`: each once, in a fixed order. */
export function formatAccessModes(modes: readonly string[] = []): string {
  return [...short].flatMap(([mode, text]) => (modes.includes(mode) ? [text] : [])).join(',');
}

export function validateAccessModes(modes: readonly string[], at: string): readonly FieldError[] {
  const single = modes.includes('ReadWriteOncePod');
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && short.has(mode));
  return [
    ...findEach(modes, (mode) => (short.has(mode) ? [] : [notSupported(at, mode, known)])),
    ...(single && others ? [forbiddenField(at, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}
