// AlwaysAdmit and AlwaysDeny: nothing is looked at.

import { loopbackUser } from '../../meta/user.ts';
import { type AdmissionPlugin, type AdmissionRequest, type Operation, refusal } from '../plugin.ts';

const everything: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

export const alwaysAdmit = (): AdmissionPlugin => ({
  name: 'AlwaysAdmit',
  operations: everything,
  covers: () => true,
});

/** What the server itself writes is let in, or there would be no server. */
function refuse(request: AdmissionRequest) {
  if (request.user === loopbackUser) return request.object;
  throw refusal(request, 'admission control is denying all modifications');
}

export const alwaysDeny = (): AdmissionPlugin => ({
  name: 'AlwaysDeny',
  operations: everything,
  covers: () => true,
  mutate: refuse,
});
