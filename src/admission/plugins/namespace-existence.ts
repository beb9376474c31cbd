// NamespaceExists and NamespaceAutoProvision: a namespace that is missing is reported, or made.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError, notFound } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, objectsOf } from '../plugin.ts';
import { namespaces } from './namespace-lifecycle.ts';

export function namespaceExists({ objects }: Pick<AdmissionEngines, 'objects'>): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    covers: ({ namespaced }) => namespaced,
    validate: (request) =>
      andThen(namespaceOf(objects, request), (found) => {
        if (found === undefined) throw notFound({ group: '', resource: 'namespaces', name: request.namespace });
      }),
  };
}

export function namespaceAutoProvision({
  dialect,
  objects,
  create,
}: Pick<AdmissionEngines, 'dialect' | 'objects' | 'create'>): AdmissionPlugin {
  const isQuestion = objectsOf(groupName(dialect, 'authorization'), 'localsubjectaccessreviews');
  return {
    name: 'NamespaceAutoProvision',
    operations: creates,
    covers: (definition, subresource) => definition.namespaced && !isQuestion(definition, subresource),
    mutate(request) {
      const { namespace: name, object } = request;
      // nothing is stored for the sake of a trial
      if (request.dryRun) return object;
      const made = andThen(namespaceOf(objects, request), (found) => (found === undefined ? make(name) : undefined));
      return andThen(made, () => object);
    },
  };

  async function make(name: string): Promise<void> {
    const namespace: ApiObject = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } };
    try {
      await create(namespaces, namespace);
    } catch (error) {
      // another client was faster
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
    }
  }
}

const namespaceOf = (
  objects: AdmissionEngines['objects'],
  { namespace: name }: AdmissionRequest,
): MaybePromise<ApiObject | undefined> => objects.get(namespaces, { namespace: '', name });
