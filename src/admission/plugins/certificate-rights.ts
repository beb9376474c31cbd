// CertificateApproval, CertificateSigning, ClusterTrustBundleAttest: who acts for a signer needs a right that names it.

import { isDeepStrictEqual } from 'node:util';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request.ts';
import { resourceAccess } from '../../meta/access.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, partsOf, refusal, writes } from '../plugin.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'access'>;

const requests = 'certificatesigningrequests';
const signerOf = (object: ApiObject | undefined): string =>
  (object as { spec?: { signerName?: string } } | undefined)?.spec?.signerName ?? '';

export function certificateApproval(engines: Engines): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    operations: ['UPDATE'],
    covers: partsOf(groupName(engines.dialect, 'certificates'), requests, 'approval'),
    validate: (request) =>
      demand(engines, request, 'approve', signerOf(request.oldObject), 'approve requests with signerName'),
  };
}

export function certificateSigning(engines: Engines): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    operations: ['UPDATE'],
    covers: partsOf(groupName(engines.dialect, 'certificates'), requests, 'status'),
    validate(request) {
      const next = (request.object as CertificateSigningRequest).status ?? {};
      const old = (request.oldObject as CertificateSigningRequest).status ?? {};
      if (next.certificate === old.certificate && isDeepStrictEqual(next.conditions, old.conditions)) return;
      return demand(engines, request, 'sign', signerOf(request.oldObject), 'sign requests with signerName');
    },
  };
}

export function clusterTrustBundleAttest(engines: Engines): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    operations: writes,
    covers: objectsOf(groupName(engines.dialect, 'certificates'), 'clustertrustbundles'),
    validate(request) {
      const signer = signerOf(request.object);
      if (signer !== '') return demand(engines, request, 'attest', signer, 'attest for signerName');
    },
  };
}

/** The right may be for all signers of a domain, written `example.com/*`. */
function demand(
  { dialect, access }: Engines,
  request: AdmissionRequest,
  verb: string,
  signer: string,
  what: string,
): MaybePromise<void> {
  const { user } = request;
  const group = groupName(dialect, 'certificates');
  const may = (name: string) =>
    andThen(
      access.decide(resourceAccess({ user, verb, group, version: '*', resource: 'signers', name })),
      ({ kind }) => kind === 'allow',
    );
  const isAllowed = andThen(may(signer), (mayThis) => mayThis || may(`${signer.split('/')[0]}/*`));
  return andThen(isAllowed, (allowed) => {
    if (!allowed) throw refusal(request, `user not permitted to ${what} ${JSON.stringify(signer)}`);
  });
}
