// Aggregated discovery, for clients that want it in protobuf.

import { field, listOf, string, struct } from '../../../schema/types.ts';
import { listMeta, objectMeta } from './types.ts';

const home = 'apidiscovery/v2';
const always = { always: true, required: true } as const;

const groupVersionKind = struct('meta/v1', 'GroupVersionKind', 'A kind in a version of a group.', () => ({
  group: field(1, string, { ...always, about: 'The group.' }),
  version: field(2, string, { ...always, about: 'The version.' }),
  kind: field(3, string, { ...always, about: 'The kind.' }),
}));

const responseKind = { pointer: true, about: 'What it answers with.' } as const;

const subresource = struct(home, 'APISubresourceDiscovery', 'A subresource.', () => ({
  subresource: field(1, string, { ...always, about: 'Its name.' }),
  responseKind: field(2, groupVersionKind, responseKind),
  acceptedTypes: field(3, listOf(groupVersionKind), { about: 'Other kinds that it takes.' }),
  verbs: field(4, listOf(string), { ...always, about: 'What can be done with it.' }),
}));

const resource = struct(home, 'APIResourceDiscovery', 'A resource.', () => ({
  resource: field(1, string, { ...always, about: 'Plural name.' }),
  responseKind: field(2, groupVersionKind, responseKind),
  scope: field(3, string, { ...always, about: 'Cluster or Namespaced.' }),
  singularResource: field(4, string, { ...always, about: 'Singular name.' }),
  verbs: field(5, listOf(string), { ...always, about: 'What can be done with it.' }),
  shortNames: field(6, listOf(string), { about: 'Abbreviations.' }),
  categories: field(7, listOf(string), { about: 'Groups of resources it belongs to.' }),
  subresources: field(8, listOf(subresource), { about: 'Its subresources.' }),
}));

const versionType = struct(home, 'APIVersionDiscovery', 'A version of a group.', () => ({
  version: field(1, string, { ...always, about: 'Its name.' }),
  resources: field(2, listOf(resource), { about: 'Its resources.' }),
  freshness: field(3, string, { about: 'Whether the server behind it was reached of late.' }),
}));

const groupType = struct(home, 'APIGroupDiscovery', 'A group.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Its name.' }),
  versions: field(2, listOf(versionType), { about: 'Its versions, the preferred one first.' }),
}));

export const groupDiscoveryListType = struct(home, 'APIGroupDiscoveryList', 'Everything that is served.', () => ({
  metadata: field(1, listMeta, { always: true, about: 'List metadata.' }),
  items: field(2, listOf(groupType), { ...always, about: 'The groups.' }),
}));
