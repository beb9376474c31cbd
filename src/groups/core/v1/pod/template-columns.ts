// Columns of tables of what makes pods: names and images of containers, and labels.

import type { ApiObject } from '../../../../meta/object.ts';
import type { Column } from '../../../../schema/column.ts';
import type { Container } from './container-defaults.ts';
import type { PodSpec } from './pod-spec.ts';

export function containerColumns<T extends ApiObject>(
  specOf: (object: T) => PodSpec,
  priority: 0 | 1,
): readonly Column<T>[] {
  const column = (name: string, about: string, read: (container: Container) => string | undefined): Column<T> => ({
    name,
    type: 'string',
    about,
    priority,
    cell: (object) => (specOf(object).containers ?? []).map(read).join(','),
  });
  return [
    column('Containers', 'Names of the containers.', ({ name }) => name),
    column('Images', 'Images of the containers.', ({ image }) => image),
  ];
}
