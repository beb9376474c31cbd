// NamespaceExists and NamespaceAutoProvision: a namespace that is missing is reported, or made.

import { andThen } from '../../base/maybe-promise.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError, notFound } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, refusal } from '../plugin.ts';
import { namespaceOf, namespaces } from '../request-namespace.ts';

export function namespaceExists({ objects }: Pick<AdmissionEngines, 'objects'>): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    covers: ({ namespaced }) => namespaced,
    validate: (request) =>
      andThen(namespaceOf(request, objects), (found) => {
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
      const made = andThen(namespaceOf(request, objects), (found) => (found === undefined ? make(request) : undefined));
      return andThen(made, () => object);
    },
  };

  async function make(request: AdmissionRequest): Promise<void> {
    const { namespace: name, dryRun } = request;
    const namespace: ApiObject = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } };
    try {
      const made = await create(namespaces, namespace, { dryRun });
      // a dry run stores nothing: the plugins after this one are shown the namespace all the same
      if (dryRun) request.plannedNamespace = made;
    } catch (error) {
      // another client was faster
      if (!(error instanceof ApiError)) throw error;
      if (error.reason !== 'AlreadyExists') throw refusal(request, error.message);
    }
  }
}
