// IngressClass: names an ingress controller so that Ingresses can choose it.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'networking/v1';

export const ingressClassParametersReference = struct(
  home,
  'IngressClassParametersReference',
  'Points at an object with extra settings for an ingress class.',
  {
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
  },
);

export const ingressClassSpec = struct(home, 'IngressClassSpec', 'Desired configuration of an IngressClass.', {
  controller: field(1, string, {
    about: 'Domain-prefixed name of the controller, such as "example.com/ingress"; at most 250 characters, immutable.',
  }),
  parameters: field(2, ingressClassParametersReference, {
    pointer: true,
    about: 'Optional reference to an object with controller-specific settings.',
  }),
});

export const ingressClassType = struct(
  home,
  'IngressClass',
  'Names an ingress controller so that Ingresses can choose it.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, ingressClassSpec, { always: true, about: 'The controller in charge and its optional settings.' }),
  },
);

export type IngressClass = ApiObject & Infer<typeof ingressClassType>;

export const ingressClass: KindDefinition = {
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  verbs: allVerbs,
  type: ingressClassType,
  checkName: checkSubdomain,
  generationIgnores: [],
};
