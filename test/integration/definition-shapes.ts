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
