// Values as YAML text: sorted keys, lists not indented, and quotes around whatever version 1.1 would take for something else.

const layout = {
  version: '1.1',
  sortMapEntries: true,
  indentSeq: false,
  lineWidth: 0,
  aliasDuplicateObjects: false,
} as const;

/** The writer, once the library is there. */
export async function yamlText(): Promise<(value: unknown) => string> {
  const { stringify } = await import('yaml');
  return (value) => stringify(value, layout);
}
