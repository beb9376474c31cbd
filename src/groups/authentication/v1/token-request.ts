// TokenRequest: asks for a token of a given service account.

import { dateTime, field, int64, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'authentication/v1';

const boundObjectReference = struct(
  home,
  'BoundObjectReference',
  "The object that a token's validity depends on.",
  () => ({
    kind: field(1, string, { about: 'Kind of the object: Pod, Secret or Node.' }),
    apiVersion: field(2, string, { about: 'Version of the object\'s API, "v1" for all of the allowed kinds.' }),
    name: field(3, string, { about: 'Name of the object to bind to.' }),
    uid: field(4, string, {
      goType: 'types.UID',
      about: 'UID of the object; if given, it must match the existing one.',
    }),
  }),
);

const tokenRequestSpec = struct(home, 'TokenRequestSpec', 'Desired properties of a service account token.', () => ({
  audiences: field(1, listOf(string), {
    always: true,
    listType: 'atomic',
    about: 'Recipients the token is meant for; empty means the API server itself.',
  }),
  expirationSeconds: field(4, int64, {
    pointer: true,
    always: true,
    about: 'Wanted lifetime in seconds; default 3600, at least 600. The server may choose another.',
  }),
  boundObjectRef: field(3, boundObjectReference, {
    pointer: true,
    always: true,
    about: 'Object whose deletion makes the token invalid, such as a pod using the account.',
  }),
}));

const tokenRequestStatus = struct(home, 'TokenRequestStatus', 'Result of a token request.', () => ({
  token: field(1, string, { always: true, about: 'The issued token; treat it as a secret.' }),
  expirationTimestamp: field(2, dateTime, { always: true, about: 'When the token stops being valid.' }),
}));

export const tokenRequest = struct(home, 'TokenRequest', 'Asks for a token of a given service account.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, tokenRequestSpec, { always: true, about: 'What the token should be good for.' }),
  status: field(3, tokenRequestStatus, {
    always: true,
    about: 'The issued token and its expiry, filled in by the server.',
  }),
}));
