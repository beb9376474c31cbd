// Columns that say which containers a template has, and what selects its pods.

import type { ApiObject } from '../../../meta/object.ts';
import type { Column } from '../../../schema/column.ts';
import { textColumn } from '../../columns.ts';
import { containerColumns } from '../../core/v1/pod/template-columns.ts';
import { formatLabelSelector, type LabelSelector } from '../../meta/v1/label-selector.ts';
import type { PodTemplate } from './template-rules.ts';

/** `templateOf` finds the template in the object. */
export function templateColumns<T extends ApiObject>(
  templateOf: (object: T) => PodTemplate | undefined,
): readonly Column<T>[] {
  return containerColumns((object: T) => templateOf(object)?.spec ?? {}, 1);
}

export function selectorColumn<T extends ApiObject>(
  selectorOf: (object: T) => LabelSelector | null | undefined,
  none = '<none>',
): Column<T> {
  return textColumn('Selector', 'Labels of the pods that belong to it.', (o: T) => text(selectorOf(o), none), 'wide');
}

/** Nothing selected and everything selected look the same in most tables. */
function text(selector: LabelSelector | null | undefined, none: string): string {
  return selector ? formatLabelSelector(selector) || '<none>' : none;
}
