// IPAddress: records one Service IP as in use; the object's name is the address in canonical form.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'networking/v1';

export const parentReference = struct(home, 'ParentReference', 'Points at the object that owns an IP address.', {
  group: field(1, string, { about: 'API group of the owner; empty for the core group.' }),
  resource: field(2, string, {
    required: true,
    about: 'Lowercase plural resource name of the owner, such as "services".',
  }),
  namespace: field(3, string, { about: 'Namespace of the owner, if it is namespaced.' }),
  name: field(4, string, { required: true, about: 'Name of the owner object.' }),
});

export const ipAddressSpec = struct(home, 'IPAddressSpec', 'Details of an allocated Service address.', {
  parentRef: field(1, parentReference, {
    pointer: true,
    required: true,
    about: 'The object the address belongs to, normally a Service.',
  }),
});

export const ipAddressType = struct(
  home,
  'IPAddress',
  "Records one Service IP as in use; the object's name is the address in canonical form.",
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, ipAddressSpec, { always: true, required: true, about: 'States which object holds this address.' }),
  },
);

export type IPAddress = ApiObject & Infer<typeof ipAddressType>;

export const ipAddress: KindDefinition = {
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: false,
  shortNames: ['ip'],
  verbs: allVerbs,
  type: ipAddressType,
  checkName: checkSubdomain,
};
