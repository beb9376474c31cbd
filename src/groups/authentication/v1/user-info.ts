// Types of user info: UserInfo, ExtraValue.

import { field, listOf, mapOf, string, struct, wrappedListOf } from '../../../schema/types.ts';

const home = 'authentication/v1';

export const userInfo = struct(home, 'UserInfo', 'What is known about an authenticated user.', () => ({
  username: field(1, string, { about: 'Name that identifies the user among all active users.' }),
  uid: field(2, string, { about: 'Identifier that tells apart users with the same name over time.' }),
  groups: field(3, listOf(string), { listType: 'atomic', about: 'Names of the groups the user is in.' }),
  extra: field(4, mapOf(wrappedListOf(string)), {
    goType: 'map[string]ExtraValue',
    about: 'Further information from the authenticator, as lists of strings by key.',
  }),
}));
