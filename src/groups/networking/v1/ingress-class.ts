// IngressClass: names an ingress controller so that Ingresses can choose it.

import { domainPathErrors } from '../../../meta/domain-path.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  unchanged,
} from '../../../meta/field-errors.ts';
import { checkLabelName, checkPathSegment, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'networking/v1';

const ingressClassParametersReference = struct(
  home,
  'IngressClassParametersReference',
  'Points at an object with extra settings for an ingress class.',
  () => ({
    apiGroup: field(1, string, {
      pointer: true,
      about: 'API group of the settings object; empty or unset means the core group.',
    }),
    kind: field(2, string, { always: true, required: true, about: 'Kind of the settings object being referred to.' }),
    name: field(3, string, { always: true, required: true, about: 'Name of the settings object being referred to.' }),
    scope: field(4, string, {
      pointer: true,
      always: true,
      about: 'Cluster (the default) or Namespace, telling where the settings object lives.',
    }),
    namespace: field(5, string, {
      pointer: true,
      about: 'Namespace of the settings object; required for scope Namespace, otherwise leave unset.',
    }),
  }),
);

const ingressClassSpec = struct(home, 'IngressClassSpec', 'Desired configuration of an IngressClass.', () => ({
  controller: field(1, string, {
    about: 'Domain-prefixed name of the controller, such as "example.com/ingress"; at most 250 characters, immutable.',
  }),
  parameters: field(2, ingressClassParametersReference, {
    pointer: true,
    about: 'Optional reference to an object with controller-specific settings.',
  }),
}));

const ingressClassType = struct(
  home,
  'IngressClass',
  'Names an ingress controller so that Ingresses can choose it.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, ingressClassSpec, { always: true, about: 'The controller in charge and its optional settings.' }),
  }),
);

type IngressClass = ApiObject & Infer<typeof ingressClassType>;

type Parameters = NonNullable<NonNullable<IngressClass['spec']>['parameters']>;

const maxControllerBytes = 250;

/** Settings that do not say where they live are those of the whole cluster. */
function defaults(object: IngressClass): ApiObject {
  const { spec } = object;
  const { parameters } = spec ?? {};
  if (parameters === undefined || parameters.scope != null) return object;
  return { ...object, spec: { ...spec, parameters: { ...parameters, scope: 'Cluster' } } };
}

function validate(object: IngressClass): readonly FieldError[] {
  const { controller = '', parameters } = object.spec ?? {};
  const at = 'spec.controller';
  return [
    ...(Buffer.byteLength(controller) > maxControllerBytes ? [tooLong(at, maxControllerBytes)] : []),
    ...domainPathErrors(at, controller),
    ...(parameters === undefined ? [] : validateParameters(parameters, 'spec.parameters')),
  ];
}

function validateParameters({ apiGroup, kind = '', name = '', scope, namespace }: Parameters, at: string) {
  const segment = (text: string, field: string) =>
    text === ''
      ? [required(`${at}.${field}`)]
      : checkPathSegment(text).map((e) => invalidValue(`${at}.${field}`, text, e));
  return [
    ...(apiGroup == null ? [] : checkSubdomain(apiGroup).map((e) => invalidValue(`${at}.apiGroup`, apiGroup, e))),
    ...segment(kind, 'kind'),
    ...segment(name, 'name'),
    ...validateScope(scope, namespace, at),
  ];
}

function validateScope(scope: string | null | undefined, namespace: string | undefined, at: string) {
  if (scope == null) return [required(`${at}.scope`)];
  if (scope === 'Cluster')
    return namespace === undefined ? [] : [forbiddenField(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")];
  if (scope !== 'Namespace') return [notSupported(`${at}.scope`, scope, ['Cluster', 'Namespace'])];
  if (namespace === undefined) return [required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  return checkLabelName(namespace).map((e) => invalidValue(`${at}.namespace`, namespace, e));
}

function parametersText({ spec }: IngressClass): string {
  const { parameters } = spec ?? {};
  if (parameters === undefined) return '<none>';
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup ? `${kind}.${apiGroup}` : kind}/${name}`;
}

export const ingressClass = defineKind(ingressClassType, {
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: [],
  columns: [
    nameColumn,
    textColumn<IngressClass>('Controller', 'Who handles the class.', ({ spec }) => spec?.controller ?? ''),
    textColumn<IngressClass>('Parameters', 'An object with more settings.', parametersText),
    ageColumn,
  ],
  strategy: {
    defaults,
    validateCreate: validate,
    validateUpdate: (next, old) => [
      ...unchanged('spec.controller', next.spec?.controller ?? '', old.spec?.controller ?? ''),
      ...validate(next),
    ],
  },
});
