// Devices that others use are shared with administrators only: a claim may ask for that, and be given it, in a namespace
// that is labelled for it.

import { andThen } from '../../base/maybe-promise.ts';
import { adminAccessLabel, groupName } from '../../meta/dialect.ts';
import { forbiddenField } from '../../meta/field-errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import { invalid } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, writes } from '../plugin.ts';
import { namespaceOf } from '../request-namespace.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'>;

interface Access {
  readonly adminAccess?: boolean;
}

/** As every version has it: what is asked for stands in the request itself, or in what exactly is wanted. */
interface ClaimSpec {
  readonly devices?: { readonly requests?: readonly (Access & { readonly exactly?: Access })[] };
}

interface ClaimStatus {
  readonly allocation?: { readonly devices?: { readonly results?: readonly Access[] } };
}

/** How what is covered asks for administrators' access: at which field, undefined where it does not. */
const asking: Readonly<Record<string, (object: ApiObject) => string | undefined>> = {
  resourceclaims: (claim) => askedIn(claim['spec'] as ClaimSpec),
  resourceclaimtemplates: (template) => askedIn((template['spec'] as { spec?: ClaimSpec }).spec),
  'resourceclaims/status': (claim) => grantedIn(claim['status'] as ClaimStatus),
};

export function deviceAdminAccess(engines: Engines): AdmissionPlugin {
  const group = groupName(engines.dialect, 'resource');
  return {
    name: 'DeviceAdminAccess',
    operations: writes,
    covers: (definition, subresource) =>
      definition.group === group && Object.hasOwn(asking, placeOf(definition.plural, subresource)),
    validate(request) {
      const { object, oldObject, definition, subresource } = request;
      const askedBy = asking[placeOf(definition.plural, subresource)];
      const field = object && askedBy?.(object);
      if (field === undefined || (oldObject && askedBy?.(oldObject))) return;
      return checkNamespace(engines, request, field);
    },
  };
}

const placeOf = (plural: string, subresource: string) => (subresource === '' ? plural : `${plural}/${subresource}`);

function checkNamespace({ dialect, objects }: Engines, request: AdmissionRequest, field: string) {
  const { name, definition } = request;
  const label = adminAccessLabel(dialect);
  return andThen(namespaceOf(request, objects), (found) => {
    if (found?.metadata.labels?.[label] === 'true') return;
    const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
    throw invalid({ group: definition.group, kind: definition.kind, name }, [forbiddenField(field, detail)]);
  });
}

// compat: a request for administrators' access is reported at the request, whatever it is a part of
const askedIn = (spec: ClaimSpec | undefined): string | undefined =>
  placeIn(spec?.devices?.requests, 'spec.devices.requests', (one) => one.exactly?.adminAccess ?? one.adminAccess);

const grantedIn = (status: ClaimStatus | undefined): string | undefined =>
  placeIn(status?.allocation?.devices?.results, 'status.allocation.devices.results', (one) => one.adminAccess);

/** Lists that the client did not give may be null. */
type Given<T> = readonly T[] | null | undefined;

function placeIn<T>(list: Given<T>, at: string, asks: (one: T) => boolean | undefined): string | undefined {
  const index = (list ?? []).findIndex((one) => asks(one) === true);
  return index < 0 ? undefined : `${at}[${index}].adminAccess`;
}
