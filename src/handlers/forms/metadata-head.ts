// What metadata of an object has besides its text.

import { metaGroup } from '../../meta/dialect.ts';
import type { Shape } from '../shape.ts';

/** The text before the metadata; a closing brace follows it. */
export function metadataHead({ dialect, form }: Shape): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"${metaGroup(dialect)}/${form.version}","metadata":`;
}

/** The annotation that only the whole object is shown with (see `partialMetadata`). */
export const hiddenAnnotation = ({ definition }: Shape): string | undefined => definition.quirks?.annotationOfField;
