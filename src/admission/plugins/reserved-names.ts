// Names of webhooks and policies that are reserved for those in files.

import { groupName } from '../../meta/dialect.ts';
import { invalidValue } from '../../meta/field-errors.ts';
import { invalid } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { reservedSuffix } from '../manifests/manifest-rules.ts';
import { type AdmissionPlugin, writes } from '../plugin.ts';

const kinds = ['Mutating', 'Validating'].flatMap((type) =>
  ['WebhookConfiguration', 'AdmissionPolicy', 'AdmissionPolicyBinding'].map((kind) => `${type}${kind}`),
);

/** Stored objects of such a name may be changed, so that they can be dealt with. */
export function reservedNames({ dialect, gates }: Pick<AdmissionEngines, 'dialect' | 'gates'>): AdmissionPlugin {
  const group = groupName(dialect, 'admissionregistration');
  const suffix = reservedSuffix(dialect);
  const why = `names ending with ${JSON.stringify(suffix)} are reserved for static manifest-based configurations and cannot be managed via the API`;
  return {
    name: 'reserved names',
    operations: writes,
    covers: (definition, subresource) =>
      definition.group === group && subresource === '' && kinds.includes(definition.kind),
    validate(request) {
      const { operation, object, kind } = request;
      const { name = '' } = object?.metadata ?? {};
      if (!name.endsWith(suffix)) return;
      if (operation === 'CREATE' && gates.ManifestBasedAdmissionControlConfig)
        throw invalid({ group, kind: kind.kind, name }, [invalidValue('metadata.name', name, why)]);
      request.warn(`metadata.name: ${why}`);
    },
  };
}
