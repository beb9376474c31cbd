// NamespaceExists and NamespaceAutoProvision: a namespace that is missing is reported, or made.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError, notFound } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, refusal } from '../plugin.ts';
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
  objects,
  create,
}: Pick<AdmissionEngines, 'objects' | 'create'>): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: creates,
    covers: ({ namespaced }) => namespaced,
    mutate(request) {
      const { object } = request;
      // nothing is stored for the sake of a trial
      if (request.dryRun) return object;
      const made = andThen(namespaceOf(objects, request), (found) => (found === undefined ? make(request) : undefined));
      return andThen(made, () => object);
    },
  };

  async function make(request: AdmissionRequest): Promise<void> {
    const { namespace: name } = request;
    const namespace: ApiObject = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } };
    try {
      await create(namespaces, namespace);
    } catch (error) {
      // another client was faster
      if (!(error instanceof ApiError)) throw error;
      if (error.reason !== 'AlreadyExists') throw refusal(request, error.message);
    }
  }
}

const namespaceOf = (
  objects: AdmissionEngines['objects'],
  { namespace: name }: AdmissionRequest,
): MaybePromise<ApiObject | undefined> => objects.get(namespaces, { namespace: '', name });
