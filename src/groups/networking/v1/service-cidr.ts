// ServiceCIDR: a range of IP addresses from which Services get their cluster IPs.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { parseRange } from '../../../meta/ip.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import { checkCanonicalRange } from '../../../meta/network-names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { shownField } from '../../../schema/given-empty.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { checked } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';

const home = 'networking/v1';

const serviceCIDRSpec = struct(home, 'ServiceCIDRSpec', 'Desired configuration of a ServiceCIDR.', () => ({
  cidrs: field(1, listOf(string), {
    listType: 'atomic',
    about: 'One range in CIDR form, or two of different IP families; cannot be changed once set.',
  }),
}));

const serviceCIDRStatus = struct(home, 'ServiceCIDRStatus', 'Observed state of a ServiceCIDR.', () => ({
  conditions: field(1, listOf(condition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, such as Ready, at most one per type.',
  }),
}));

const serviceCIDRType = struct(
  home,
  'ServiceCIDR',
  'A range of IP addresses from which Services get their cluster IPs.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, serviceCIDRSpec, { always: true, about: 'The address ranges to hand out.' }),
    status: field(3, serviceCIDRStatus, {
      always: true,
      about: 'Whether the range is usable, as reported by the controller.',
    }),
  }),
);

export type ServiceCIDR = ApiObject & Infer<typeof serviceCIDRType>;

/** The condition Ready of a range that services may use. */
export const readyRange = { status: 'True', message: 'Services can have addresses of this range' } as const;

const at = 'spec.cidrs';
const rangesOf = (object: ServiceCIDR) => object.spec?.cidrs ?? [];

function validateCreate(object: ServiceCIDR): readonly FieldError[] {
  const cidrs = rangesOf(object);
  if (cidrs.length === 0) return [required(at, 'at least one CIDR required')];
  if (cidrs.length > 2)
    return [invalidValue(at, inReferenceForm('ServiceCIDRSpec', { cidrs }), 'may only hold up to 2 values')];
  const families = cidrs.map((cidr) => parseRange(cidr)?.address.family);
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  const same = families.length === 2 && families[0] !== undefined && families[0] === families[1];
  return [
    ...findEach(cidrs, (cidr, index) => checked(`${at}[${index}]`, cidr, checkCanonicalRange)),
    ...(same ? [invalidValue(at, cidrs, detail)] : []),
  ];
}

/** A second family may be added; nothing else changes. */
function validateUpdate(next: ServiceCIDR, old: ServiceCIDR): readonly FieldError[] {
  const cidrs = rangesOf(next);
  const were = rangesOf(old);
  const immutable = 'field is immutable';
  const grows = were.length === 1 && cidrs.length === 2;
  if (cidrs.length !== were.length && !grows) return [invalidValue(at, shownField(next.spec, 'cidrs'), immutable)];
  return [
    ...findEach(were, (cidr, index) =>
      cidr === cidrs[index] ? [] : [invalidValue(`${at}[${index}]`, cidrs[index], immutable)],
    ),
    ...(grows ? validateCreate(next) : []),
  ];
}

export const serviceCIDR = defineKind(serviceCIDRType, {
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  columns: [
    nameColumn,
    textColumn<ServiceCIDR>('CIDRs', 'The ranges.', (object) => rangesOf(object).join(',')),
    ageColumn,
  ],
  subresources: [statusAlone],
  strategy: { updateChecks: { meta: 0 }, validateCreate, validateUpdate },
});
