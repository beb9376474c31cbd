// Definitions of custom resources of a wanted size, as tests need them.

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface DefinitionOptions {
  readonly plural: string;
  readonly kind: string;
  readonly group?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly names?: object;
  /** Of the whole object. */
  readonly schema?: object;
  /** What else the only version says. */
  readonly version?: object;
  readonly spec?: object;
}

export function definitionOf(options: DefinitionOptions) {
  const { plural, kind, group = 'example.com', scope = 'Namespaced', names = {}, version = {} } = options;
  const openAPIV3Schema = options.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
      ...options.spec,
    },
  };
}

export const specOf = (spec: object): object => ({ type: 'object', properties: { spec } });

/** `count` texts with descriptions, in sections of twenty. */
export function sectionsOf(count: number): Record<string, object> {
  const sections: Record<string, { type: string; properties: Record<string, object> }> = {};
  for (let index = 0; index < count; index++) {
    const name = `section${Math.floor(index / 20)}`;
    sections[name] ??= { type: 'object', properties: {} };
    const description = `Says how field ${index} is set; controllers read it again whenever the object changes.`;
    sections[name].properties[`field${index}`] = { type: 'string', description, maxLength: 1024 };
  }
  return sections;
}

/** A chain of objects with a text at its end, `depth` levels deep. */
function chainOf(depth: number): object {
  let schema: object = { type: 'string', description: 'The end of the chain.' };
  for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { next: schema } };
  return schema;
}

const union = {
  type: 'object',
  properties: { file: { type: 'string' }, secret: { type: 'string' } },
  oneOf: [{ required: ['file'] }, { required: ['secret'] }],
};
const conditions = {
  type: 'array',
  items: {
    type: 'object',
    required: ['type', 'status'],
    properties: { type: { type: 'string' }, status: { type: 'string' } },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};

/** As large as the large public ones: 1,500 properties, 15 levels, a union, a rule, columns, scale, and three versions. */
export function largeDefinition(plural: string, kind: string, group: string) {
  const properties = {
    ...sectionsOf(1500),
    color: { type: 'string', description: 'What it looks like.' },
    replicas: { type: 'integer', default: 1 },
    chain: chainOf(15),
    source: union,
  };
  const rule = { rule: "self.color != 'invisible'", message: 'must be seen' };
  const spec = { type: 'object', properties, 'x-kubernetes-validations': [rule] };
  const status = {
    type: 'object',
    properties: { conditions, replicas: { type: 'integer' }, phase: { type: 'string' } },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const version = (name: string, storage: boolean) => ({
    ...{ name, storage, served: true, schema, subresources: { status: {}, scale } },
    selectableFields: [{ jsonPath: '.spec.color' }],
    additionalPrinterColumns: [
      { name: 'Color', type: 'string', jsonPath: '.spec.color' },
      { name: 'Wanted', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
    ],
  });
  const versions = [version('v1', true), version('v1beta1', false), version('v1alpha1', false)];
  return definitionOf({ plural, kind, group, spec: { versions } });
}
