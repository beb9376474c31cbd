// Nothing is created in a namespace that is going, or written in one that does not exist; some namespaces never go.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { forbidden, notFound } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import type { Lookup } from '../lookup.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal } from '../plugin.ts';
import { namespaceOf } from '../request-namespace.ts';

export function namespaceLifecycle({
  dialect,
  objects,
}: Pick<AdmissionEngines, 'dialect' | 'objects'>): AdmissionPlugin {
  const isQuestion = objectsOf(groupName(dialect, 'authorization'), 'localsubjectaccessreviews');
  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    covers: (definition, subresource) =>
      (definition.namespaced && !isQuestion(definition, subresource)) || definition.deletion?.refusal !== undefined,
    // runs with the plugins that change objects: a missing namespace is reported before invalid content
    mutate(request) {
      if (request.operation === 'DELETE') refuseDeletion(request, dialect);
      if (!request.definition.namespaced || request.operation === 'DELETE') return request.object;
      // a path through no namespace is judged with the metadata of the object
      if (request.namespace === '') return request.object;
      return andThen(currentNamespace(request, objects), (namespace) => {
        refuseWrite(request, namespace);
        return request.object;
      });
    },
  };
}

/** Only creates depend on what state it is in: for others no server asks the store for the latest. */
function currentNamespace(request: AdmissionRequest, objects: Lookup): MaybePromise<ApiObject | undefined> {
  const latest = () => namespaceOf(request, objects);
  if (request.operation === 'CREATE') return latest();
  return andThen(namespaceOf(request, objects, 'any'), (cached) => cached ?? latest());
}

const isTerminating = (namespace: ApiObject) =>
  (namespace as { status?: { phase?: string } }).status?.phase === 'Terminating';

function refuseDeletion({ definition, name }: AdmissionRequest, dialect: Dialect): void {
  const undeletable = definition.deletion?.refusal?.(name, dialect);
  const { group, plural } = definition;
  if (undeletable?.at === 'admission') throw forbidden({ group, resource: plural, name }, undeletable.because);
}

function refuseWrite(request: AdmissionRequest, namespace: ApiObject | undefined): void {
  if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces', name: request.namespace });
  if (request.operation !== 'CREATE' || !isTerminating(namespace)) return;
  const why = `unable to create new content in namespace ${request.namespace} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${request.namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw refusal(request, why, [cause]);
}
