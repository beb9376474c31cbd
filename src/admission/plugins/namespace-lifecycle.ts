// Nothing is created in a namespace that does not exist or is going; some namespaces never go.

import { andThen } from '../../base/maybe-promise.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { forbidden, notFound } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal } from '../plugin.ts';

export const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

export function namespaceLifecycle({
  dialect,
  objects,
}: Pick<AdmissionEngines, 'dialect' | 'objects'>): AdmissionPlugin {
  const isQuestion = objectsOf(groupName(dialect, 'authorization'), 'localsubjectaccessreviews');
  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'DELETE'],
    covers: (definition, subresource) =>
      (definition.namespaced && !isQuestion(definition, subresource)) || definition.deletion?.refusal !== undefined,
    // runs with the plugins that change objects: a missing namespace is reported before invalid content
    mutate(request) {
      if (request.operation === 'DELETE') refuseDeletion(request, dialect);
      if (!request.definition.namespaced || request.operation !== 'CREATE') return request.object;
      return andThen(objects.get(namespaces, { namespace: '', name: request.namespace }), (namespace) => {
        refuseCreation(request, namespace);
        return request.object;
      });
    },
  };
}

const isTerminating = (namespace: ApiObject) =>
  (namespace as { status?: { phase?: string } }).status?.phase === 'Terminating';

function refuseDeletion({ definition, name }: AdmissionRequest, dialect: Dialect): void {
  const undeletable = definition.deletion?.refusal?.(name, dialect);
  const { group, plural } = definition;
  if (undeletable?.at === 'admission') throw forbidden({ group, resource: plural, name }, undeletable.because);
}

function refuseCreation(request: AdmissionRequest, namespace: ApiObject | undefined): void {
  if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces', name: request.namespace });
  if (!isTerminating(namespace)) return;
  const why = `unable to create new content in namespace ${request.namespace} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${request.namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw refusal(request, why, [cause]);
}
