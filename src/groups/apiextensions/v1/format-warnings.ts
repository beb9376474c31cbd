// Formats in schemas that the server does not check, because it does not know them.

import { isKnownFormat } from '../../../schema/structural/formats.ts';
import { type Schema, schemaHas } from '../../../schema/structural/schema.ts';

/** What is said of formats that are new in the schemas; `old` are the schemas as they were. */
export function formatWarnings(schemas: readonly Schema[], old: readonly Schema[]): readonly string[] {
  const known = new Set(unknownFormats(old));
  return unknownFormats(schemas)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(schemas: readonly Schema[]): readonly string[] {
  const found: string[] = [];
  for (const schema of schemas)
    schemaHas(schema, ({ type = '', format = '' }) => {
      if (format !== '' && !isKnownFormat(type, format)) found.push(format);
      return false;
    });
  return found;
}
