// Values of Secrets stay out of sight: the page has them, so that unchanged ones can be sent back, and shows their keys only.

import type { Kind } from '../discovery.ts';

type Fields = Record<string, unknown>;

const mask = '(hidden)';
const changedMask = '(hidden, changed)';
/** kubectl keeps a copy of the whole object here. */
const copyAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

export const hidesValues = ({ group, plural }: Kind): boolean => group === '' && plural === 'secrets';

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** The object without values. Those that differ from `before` are marked. */
export function hideValues(kind: Kind, object: Fields, before: Fields = object): Fields {
  if (!hidesValues(kind)) return object;
  const shown = { ...object };
  for (const part of ['data', 'stringData']) {
    const [values, known] = [fieldsOf(object[part]), fieldsOf(before[part])];
    if (values === undefined) continue;
    const entries = Object.entries(values).map(([key, value]) => [key, known?.[key] === value ? mask : changedMask]);
    shown[part] = Object.fromEntries(entries) as Fields;
  }
  const metadata = fieldsOf(object['metadata']);
  const annotations = fieldsOf(metadata?.['annotations']);
  if (annotations !== undefined && copyAnnotation in annotations)
    shown['metadata'] = { ...metadata, annotations: { ...annotations, [copyAnnotation]: mask } };
  return shown;
}

/** The opposite for an edited object: what is still hidden has the value of the original. */
export function restoreValues(kind: Kind, edited: Fields, original: Fields): Fields {
  if (!hidesValues(kind)) return edited;
  const restored = restorePart(edited, original, 'data');
  const metadata = fieldsOf(restored['metadata']);
  const annotations = fieldsOf(fieldsOf(original['metadata'])?.['annotations']);
  if (metadata === undefined || annotations === undefined) return restored;
  return { ...restored, metadata: restorePart(metadata, { annotations }, 'annotations') };
}

function restorePart(edited: Fields, original: Fields, part: string): Fields {
  const [values, known] = [fieldsOf(edited[part]), fieldsOf(original[part])];
  if (values === undefined || known === undefined) return edited;
  const entries = Object.entries(values).map(([key, value]) => [
    key,
    value === mask && key in known ? known[key] : value,
  ]);
  return { ...edited, [part]: Object.fromEntries(entries) as Fields };
}
