// Columns that many tables share, and those of kinds that declare none.

import type { Column } from './column.ts';

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  about: 'Unique name of the object within its namespace.',
  priority: 0,
  paths: [['metadata', 'name']],
  cell: (object) => object.metadata.name ?? '',
};

/** A name that kubectl does not take for one. */
export const plainNameColumn: Column = { ...nameColumn, format: '' };

function created(name: 'Age' | 'Created At'): Column {
  const about = 'When the object was created.';
  const never = name === 'Age' ? null : '0001-01-01T00:00:00Z';
  const paths = [['metadata', 'creationTimestamp']];
  return {
    name,
    type: 'date',
    about,
    priority: 0,
    paths,
    cell: (object) => object.metadata.creationTimestamp ?? never,
  };
}

/** Of built-in kinds without columns of their own. */
export const nameAndCreation: readonly Column[] = [nameColumn, created('Created At')];

export const defaultColumns: Readonly<Record<'Age' | 'Created At', readonly Column[]>> = {
  Age: [nameColumn, created('Age')],
  'Created At': nameAndCreation,
};
