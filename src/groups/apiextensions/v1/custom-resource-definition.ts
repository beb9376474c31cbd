// CustomResourceDefinition: adds a new resource type to the API; it must be named <plural>.<group>.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameAndCreation } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { statusOnly } from '../../subresources.ts';
import { customResourceDefinitionType } from './custom-resource-definition-type.ts';
import { definitionRules, validateStatus } from './definition-rules.ts';

export const customResourceDefinition = defineKind(customResourceDefinitionType, {
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  verbs: allVerbs,
  hashedVersion: 'v1beta1',
  checkName: checkSubdomain,
  generationIgnores: ['status'],
  quirks: { plainFinalizers: true, conditionalUpdateOnly: true, preconditionsByResource: true },
  columns: nameAndCreation,
  rows: { noneIsNull: true },
  subresources: [{ ...statusOnly, tables: false, validateUpdate: validateStatus }],
  strategy: definitionRules,
});
