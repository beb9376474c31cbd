// The classic discovery documents, for clients that want them in protobuf.

import { bool, field, listOf, string, struct, wrappedListOf } from '../../../schema/types.ts';

const home = 'meta/v1';
const always = { always: true, required: true } as const;

const serverAddress = struct(home, 'ServerAddressByClientCIDR', 'An address for clients of a network.', () => ({
  clientCIDR: field(1, string, { ...always, about: 'The network.' }),
  serverAddress: field(2, string, { ...always, about: 'The address of the server.' }),
}));

const groupVersion = struct(home, 'GroupVersionForDiscovery', 'A version of a group.', () => ({
  groupVersion: field(1, string, { ...always, about: 'Group and version.' }),
  version: field(2, string, { ...always, about: 'The version alone.' }),
}));

export const apiVersionsType = struct(home, 'APIVersions', 'Versions of the core group.', () => ({
  versions: field(1, listOf(string), { listType: 'atomic', ...always, about: 'The versions.' }),
  serverAddressByClientCIDRs: field(2, listOf(serverAddress), {
    listType: 'atomic',
    ...always,
    about: 'Where the server is.',
  }),
}));

export const apiGroupType = struct(home, 'APIGroup', 'A group and its versions.', () => ({
  name: field(1, string, { ...always, about: 'Name of the group.' }),
  versions: field(2, listOf(groupVersion), {
    listType: 'atomic',
    ...always,
    about: 'Its versions, the preferred one first.',
  }),
  preferredVersion: field(3, groupVersion, { always: true, about: 'The version to use.' }),
  serverAddressByClientCIDRs: field(4, listOf(serverAddress), { listType: 'atomic', about: 'Where the server is.' }),
}));

export const apiGroupListType = struct(home, 'APIGroupList', 'All groups.', () => ({
  groups: field(1, listOf(apiGroupType), { listType: 'atomic', ...always, about: 'The groups.' }),
}));

const apiResource = struct(home, 'APIResource', 'A resource or a subresource.', () => ({
  name: field(1, string, { ...always, about: 'Plural name.' }),
  singularName: field(6, string, { ...always, about: 'Singular name.' }),
  namespaced: field(2, bool, { ...always, about: 'Whether it lives in namespaces.' }),
  group: field(8, string, { about: 'Group of the kind, where it is another.' }),
  version: field(9, string, { about: 'Version of the kind, where it is another.' }),
  kind: field(3, string, { ...always, about: 'Kind of its objects.' }),
  verbs: field(4, wrappedListOf(string), { ...always, about: 'What can be done with it.' }),
  shortNames: field(5, listOf(string), { listType: 'atomic', about: 'Abbreviations.' }),
  categories: field(7, listOf(string), { listType: 'atomic', about: 'Groups of resources it belongs to.' }),
  storageVersionHash: field(10, string, { about: 'Changes when objects are stored in another version.' }),
}));

export const apiResourceListType = struct(home, 'APIResourceList', 'Resources of a group-version.', () => ({
  groupVersion: field(1, string, { ...always, about: 'The group-version.' }),
  resources: field(2, listOf(apiResource), { listType: 'atomic', ...always, about: 'The resources.' }),
}));

const versionText = (number: number, about: string) => field(number, string, { ...always, about });
const laterText = (number: number, about: string) => field(number, string, { about });

export const versionInfoType = struct('version', 'Info', 'What the server is.', () => ({
  major: versionText(1, 'Major version.'),
  minor: versionText(2, 'Minor version.'),
  emulationMajor: laterText(3, 'Major version that it behaves like.'),
  emulationMinor: laterText(4, 'Minor version that it behaves like.'),
  minCompatibilityMajor: laterText(5, 'Major version of the oldest it works with.'),
  minCompatibilityMinor: laterText(6, 'Minor version of the oldest it works with.'),
  gitVersion: versionText(7, 'The whole version.'),
  gitCommit: versionText(8, 'What it was built from.'),
  gitTreeState: versionText(9, 'Whether that was changed.'),
  buildDate: versionText(10, 'When it was built.'),
  goVersion: versionText(11, 'What runs it.'),
  compiler: versionText(12, 'What compiled it.'),
  platform: versionText(13, 'What it runs on.'),
}));
