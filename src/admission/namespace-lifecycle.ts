// Nothing is created in a namespace that does not exist or is going; some namespaces never go.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Dialect } from '../meta/dialect.ts';
import { forbidden, notFound } from '../meta/status.ts';
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts';

/** What a namespace is now; undefined when there is none. */
export type NamespaceLookup = (name: string) => MaybePromise<'active' | 'terminating' | undefined>;

export function namespaceLifecycle(dialect: Dialect, lookup: NamespaceLookup): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'DELETE'],
    covers: ({ namespaced, protectedNames }) => namespaced || protectedNames !== undefined,
    // runs with the plugins that change objects: a missing namespace is reported before invalid content
    mutate(request) {
      if (request.operation === 'DELETE') refuseDeletion(request, dialect);
      if (!request.definition.namespaced || request.operation !== 'CREATE') return request.object;
      return andThen(lookup(request.namespace), (namespace) => {
        refuseCreation(request, namespace);
        return request.object;
      });
    },
  };
}

function refuseDeletion({ definition, name }: AdmissionRequest, dialect: Dialect): void {
  if (!definition.protectedNames?.(dialect).includes(name)) return;
  const { group, plural, singular } = definition;
  throw forbidden({ group, resource: plural, name }, `this ${singular} may not be deleted`);
}

function refuseCreation(request: AdmissionRequest, namespace: 'active' | 'terminating' | undefined): void {
  const { definition, name } = request;
  if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces', name: request.namespace });
  if (namespace === 'active') return;
  const why = `unable to create new content in namespace ${request.namespace} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${request.namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw forbidden({ group: definition.group, resource: definition.plural, name }, why, [cause]);
}
