// What an older version has no field for travels in annotations.

import { type Dialect, labelKey } from '../../meta/dialect.ts';
import { type ApiObject, withMeta } from '../../meta/object.ts';
import { ApiError, requestEntityTooLarge } from '../../meta/status.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import type { Infer, SchemaType } from '../../schema/types.ts';

const annotation = (dialect: Dialect, name: string) => `autoscaling.alpha.${labelKey(dialect, name)}`;

export function carriedText({ metadata }: ApiObject, dialect: Dialect, name: string): string | undefined {
  return metadata.annotations?.[annotation(dialect, name)];
}

/** Of a longer text no honest autoscaler has need, and reading it would keep others waiting. */
const maxTextLength = 1024 * 1024;

/** The value of an annotation, as the type has it; one that cannot be read says nothing. */
export function readCarried<S extends SchemaType>(
  type: S,
  text: string | undefined,
  change: (value: unknown) => unknown = (value) => value,
): Infer<S> | undefined {
  if (text === undefined) return undefined;
  if (text.length > maxTextLength) throw requestEntityTooLarge(maxTextLength);
  try {
    return decoderOf(type)(change(JSON.parse(text)), new DecodeContext()) as Infer<S>;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return undefined;
  }
}

/** Without the annotations of these names, but for those there is something to say in. */
export function carrying(
  object: ApiObject,
  dialect: Dialect,
  names: readonly string[],
  carried: Readonly<Record<string, unknown>>,
): ApiObject {
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  for (const name of names) delete annotations[annotation(dialect, name)];
  const said = Object.entries(carried).filter(([, value]) => value && !(Array.isArray(value) && value.length === 0));
  const texts = said.map(([name, value]) => [annotation(dialect, name), JSON.stringify(value)] as const);
  const all = [...Object.entries(annotations), ...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  return withMeta(object, { annotations: all.length === 0 ? undefined : Object.fromEntries(all) });
}
