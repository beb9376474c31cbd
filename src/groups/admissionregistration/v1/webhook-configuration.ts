// What both kinds of webhook configuration are: a list of webhooks under one name.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { field, listOf, type StructType, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, numberColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'admissionregistration/v1';

export function configurationType<T>(name: string, about: string, webhook: StructType<T>) {
  return struct(home, name, about, () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    webhooks: field(2, listOf(webhook), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'The webhooks to call, each with its own rules.',
    }),
  }));
}

interface Listing {
  readonly webhooks?: readonly unknown[];
}

export function configurationKind<T extends Listing>(
  type: StructType<T>,
  strategy: Strategy<ApiObject & T>,
): KindDefinition {
  return defineKind(type, {
    kind: type.name,
    plural: `${type.name.toLowerCase()}s`,
    namespaced: false,
    categories: ['api-extensions'],
    verbs: allVerbs,
    checkName: checkSubdomain,
    generationIgnores: [],
    quirks: { conditionalUpdateOnly: true, plainFinalizers: true, generationCountsEmpty: true },
    columns: [
      nameColumn,
      numberColumn('Webhooks', 'How many webhooks it has.', (object) => object.webhooks?.length ?? 0),
      ageColumn,
    ],
    strategy: { updateChecks: { metaChange: 0 }, ...strategy },
  });
}
