// IPAddress: records one Service IP as in use; the object's name is the address in canonical form.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { checkPathSegment, checkSubdomain, type NameCheck } from '../../../meta/names.ts';
import { checkCanonicalIp } from '../../../meta/network-names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { immutableStruct } from '../../rules.ts';

const home = 'networking/v1';

const parentReference = struct(home, 'ParentReference', 'Points at the object that owns an IP address.', () => ({
  group: field(1, string, { about: 'API group of the owner; empty for the core group.' }),
  resource: field(2, string, {
    required: true,
    about: 'Lowercase plural resource name of the owner, such as "services".',
  }),
  namespace: field(3, string, { about: 'Namespace of the owner, if it is namespaced.' }),
  name: field(4, string, { required: true, about: 'Name of the owner object.' }),
}));

const ipAddressSpec = struct(home, 'IPAddressSpec', 'Details of an allocated Service address.', () => ({
  parentRef: field(1, parentReference, {
    pointer: true,
    required: true,
    about: 'The object the address belongs to, normally a Service.',
  }),
}));

const ipAddressType = struct(
  home,
  'IPAddress',
  "Records one Service IP as in use; the object's name is the address in canonical form.",
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, ipAddressSpec, { always: true, required: true, about: 'States which object holds this address.' }),
  }),
);

export type IPAddress = ApiObject & Infer<typeof ipAddressType>;

function validate(object: IPAddress): readonly FieldError[] {
  const parent = object.spec?.parentRef;
  const at = 'spec.parentRef';
  if (parent === undefined) return [required(at)];
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  const segment = (text: string, field: string) =>
    checkPathSegment(text).map((e) => invalidValue(`${at}.${field}`, text, e));
  return [
    ...(group === '' ? [] : checkSubdomain(group).map((e) => invalidValue(`${at}.group`, group, e))),
    ...(resource === '' ? [required(`${at}.resource`)] : segment(resource, 'resource')),
    ...(name === '' ? [required(`${at}.name`)] : segment(name, 'name')),
    ...segment(namespace, 'namespace'),
  ];
}

/** `services/default/web`, with the group in front where there is one. */
function parentText({ spec }: IPAddress): string {
  const { group = '', resource = '', namespace = '', name = '' } = spec?.parentRef ?? {};
  const type = group === '' ? resource : `${resource}.${group}`;
  return [type, namespace, name].filter((part) => part !== '').join('/') || '<none>';
}

/** Names are addresses; none is ever generated. */
const checkName: NameCheck = (name) => checkCanonicalIp(name);

export const ipAddress = defineKind(ipAddressType, {
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: false,
  shortNames: ['ip'],
  verbs: allVerbs,
  checkName,
  columns: [
    nameColumn,
    textColumn<IPAddress>('ParentRef', 'The object that has the address.', parentText),
    // compat: rows of addresses say how old they are in a cell that no column is about
    { ...ageColumn, unlisted: true },
  ],
  strategy: {
    updateChecks: { newFirst: true },
    validate,
    validateUpdate: (next, old) =>
      immutableStruct('spec.parentRef', 'ParentReference', next.spec?.parentRef, old.spec?.parentRef),
  },
});
