// APIService: registers one API group and version; its name must be <version>.<group>.

import { checkPathSegment } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { bool, bytes, dateTime, field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { statusOnly } from '../../subresources.ts';

const home = 'apiregistration/v1';

export const serviceReference = struct(home, 'ServiceReference', 'Points at the Service of an extension API server.', {
  namespace: field(1, string, { about: 'Namespace the Service lives in.' }),
  name: field(2, string, { about: 'Name of the Service to call.' }),
  port: field(3, int32, { pointer: true, about: 'Port of the Service to use, 1 to 65535; default 443.' }),
});

export const apiServiceSpec = struct(home, 'APIServiceSpec', 'Where and how an API group version is served.', {
  service: field(1, serviceReference, {
    pointer: true,
    about: 'Service of the extension server; unset means this API server handles the group itself.',
  }),
  group: field(2, string, { about: 'API group being registered, such as metrics.example.com.' }),
  version: field(3, string, { about: 'API version being registered, such as "v1beta1".' }),
  insecureSkipTLSVerify: field(4, bool, {
    about: "When true, the server's certificate is not checked; strongly discouraged, use caBundle instead.",
  }),
  caBundle: field(5, bytes, {
    listType: 'atomic',
    about: "Base64 of PEM certificates used to verify the server; unset uses the system's trust roots.",
  }),
  groupPriorityMinimum: field(7, int32, {
    always: true,
    required: true,
    about: 'Rank of the group among all groups, 1 to 20000; higher is preferred by clients.',
  }),
  versionPriority: field(8, int32, {
    always: true,
    required: true,
    about: 'Rank of the version within its group, 1 to 1000; higher is listed earlier.',
  }),
});

export const apiServiceCondition = struct(home, 'APIServiceCondition', 'One named observation about an APIService.', {
  type: field(1, string, { always: true, required: true, about: 'Kind of observation, such as Available.' }),
  status: field(2, string, { always: true, required: true, about: 'Whether it holds now: True, False or Unknown.' }),
  lastTransitionTime: field(3, dateTime, {
    always: true,
    about: 'When status last changed from one value to another.',
  }),
  reason: field(4, string, { about: 'Short CamelCase word telling why status last changed.' }),
  message: field(5, string, { about: 'Readable details about the last change.' }),
});

export const apiServiceStatus = struct(home, 'APIServiceStatus', 'Observed state of an APIService.', {
  conditions: field(1, listOf(apiServiceCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, at most one entry per type.',
  }),
});

export const apiServiceType = struct(
  home,
  'APIService',
  'Registers one API group and version; its name must be <version>.<group>.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, apiServiceSpec, { always: true, about: 'The group, version and server that handles it.' }),
    status: field(3, apiServiceStatus, { always: true, about: 'Whether the API can be reached; read-only for users.' }),
  },
);

export type APIService = ApiObject & Infer<typeof apiServiceType>;

export const apiService: KindDefinition = {
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  type: apiServiceType,
  checkName: checkPathSegment,
  conditionalUpdateOnly: true,
  subresources: [statusOnly],
};
