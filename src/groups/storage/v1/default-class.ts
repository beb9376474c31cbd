// Classes that are taken where none is named: an annotation marks them, and tables say so next to the name.

import { labelKey } from '../../../meta/dialect.ts';
import type { Column } from '../../../schema/column.ts';
import { nameColumn } from '../../../schema/columns.ts';

/** `prefixes` are those of the annotations that mark a class of the kind. */
export const markedNameColumn = (...prefixes: readonly string[]): Column => ({
  ...nameColumn,
  cell({ metadata: { name = '', annotations = {} } }, { dialect }) {
    const marked = prefixes.some(
      (prefix) => annotations[`${prefix}${labelKey(dialect, 'is-default-class')}`] === 'true',
    );
    return marked ? `${name} (default)` : name;
  },
});
