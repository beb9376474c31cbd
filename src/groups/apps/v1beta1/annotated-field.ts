// A field of an older spec that the stored version keeps in an annotation.

import { type ApiObject, withMeta } from '../../../meta/object.ts';
import type { Conversion } from '../../../schema/resource.ts';

export interface AnnotatedField {
  readonly field: string;
  readonly annotation: string;
  /** The text of the annotation; undefined removes it. */
  toText(value: unknown): string | undefined;
  /** The value of the field; undefined leaves the field out. */
  toValue(number: number | bigint): unknown;
}

interface WithSpec extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

export function annotatedConversion({ field, annotation, toText, toValue }: AnnotatedField): Conversion {
  return {
    toStorage(object: WithSpec) {
      const { [field]: value, ...spec } = object.spec ?? {};
      return withAnnotation({ ...object, spec }, annotation, toText(value));
    },
    fromStorage(object: WithSpec) {
      const number = parseInteger(object.metadata.annotations?.[annotation] ?? '');
      if (number === undefined) return object;
      const value = toValue(number);
      const spec = value === undefined ? object.spec : { ...object.spec, [field]: value };
      return withAnnotation({ ...object, spec }, annotation, undefined);
    },
  };
}

/** An integer that a double would round is a bigint. */
function parseInteger(text: string): number | bigint | undefined {
  if (!/^[+-]?[0-9]{1,19}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text.replace('+', ''));
}

/** The object with the annotation, or without it where there is no text. */
export function withAnnotation(object: ApiObject, name: string, text: string | undefined): ApiObject {
  const { annotations } = object.metadata;
  if (annotations?.[name] === text) return object;
  const { [name]: _, ...others } = annotations ?? {};
  const entries = Object.entries(text === undefined ? others : { ...others, [name]: text });
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return withMeta(object, { annotations: entries.length === 0 ? undefined : Object.fromEntries(sorted) });
}
