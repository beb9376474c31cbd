// Values as YAML text: sorted keys, lists not indented, and quotes around whatever version 1.1 would take for something else.

import type { Scalar, ScalarTag, Tags } from 'yaml';

const layout = {
  version: '1.1',
  sortMapEntries: true,
  indentSeq: false,
  lineWidth: 0,
  singleQuote: true,
  aliasDuplicateObjects: false,
} as const;

/** The library takes a point without digits for a number, and would put quotes around it. */
const pointFloat = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9_]+)$/;
const isLooseFloat = (tag: Tags[number]) =>
  typeof tag === 'object' && tag.tag?.endsWith(':float') === true && 'test' in tag && tag.test?.test('.') === true;
const customTags = (tags: Tags): Tags =>
  tags.map((tag) => (isLooseFloat(tag) ? { ...(tag as ScalarTag), test: pointFloat } : tag));

/** The writer, once the library is there. */
export async function yamlText(): Promise<(value: unknown) => string> {
  const { Document, visit } = await import('yaml');
  return (value) => {
    const document = new Document(value, { ...layout, customTags });
    visit(document, { Scalar: (_, node) => quote(node, document.schema.tags) });
    return document.toString(layout);
  };
}

/** compat: double quotes are for texts that would be something else without them, other quotes are single */
function quote(node: Scalar, tags: Tags): void {
  const { value } = node;
  if (typeof value !== 'string') return;
  const isOther = tags.some((tag) => typeof tag === 'object' && 'test' in tag && tag.test?.test(value) === true);
  if (isOther || value === '') node.type = 'QUOTE_DOUBLE';
}
