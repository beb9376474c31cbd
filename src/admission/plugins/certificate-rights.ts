// CertificateApproval, CertificateSigning, ClusterTrustBundleAttest, and the same for certificates of pods: who acts for
// a signer needs a right that names it.

import { isSameJson } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import type { PodCertificateRequest } from '../../groups/certificates/v1beta1/pod-certificate-request-type.ts';
import { resourceAccess } from '../../meta/access.ts';
import { groupName } from '../../meta/dialect.ts';
import { forbiddenField } from '../../meta/field-errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import { invalid } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { AdmissionEngines } from '../engines.ts';
import { isOnlyCollected } from '../only-collected.ts';
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
      requireSignerRight(engines, request, 'approve', signerOf(request.oldObject), 'approve requests with signerName'),
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
      if (next.certificate === old.certificate && isSameJson(next.conditions, old.conditions)) return;
      return requireSignerRight(engines, request, 'sign', signerOf(request.oldObject), 'sign requests with signerName');
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
      if (signer === '' || isOnlyCollected(request)) return;
      return requireSignerRight(engines, request, 'attest', signer, 'attest for signerName');
    },
  };
}

/** Issues certificates to pods. No option turns it off: the rules of the kind ask for it. */
export function podCertificateSigning(engines: Engines): AdmissionPlugin {
  return {
    name: 'PodCertificateSigning',
    operations: ['UPDATE'],
    covers: partsOf(groupName(engines.dialect, 'certificates'), 'podcertificaterequests', 'status'),
    validate(request) {
      const { object, oldObject, user, definition, name } = request;
      if (chainOf(object) === chainOf(oldObject)) return;
      const signer = signerOf(oldObject);
      return andThen(mayActFor(engines, user, 'sign', signer), (allowed) => {
        if (allowed) return;
        const detail = `User ${JSON.stringify(user.name)} is not permitted to "sign" for signer ${JSON.stringify(signer)}`;
        throw invalid({ group: definition.group, kind: definition.kind, name }, [
          forbiddenField('spec.signerName', detail),
        ]);
      });
    },
  };
}

const chainOf = (object: ApiObject | undefined): string =>
  (object as PodCertificateRequest | undefined)?.status?.certificateChain ?? '';

function requireSignerRight(
  engines: Engines,
  request: AdmissionRequest,
  verb: string,
  signer: string,
  what: string,
): MaybePromise<void> {
  return andThen(mayActFor(engines, request.user, verb, signer), (allowed) => {
    if (!allowed) throw refusal(request, `user not permitted to ${what} ${JSON.stringify(signer)}`);
  });
}

/** The right may be for all signers of a domain, written `example.com/*`. */
function mayActFor({ dialect, access }: Engines, user: UserInfo, verb: string, signer: string): MaybePromise<boolean> {
  const group = groupName(dialect, 'certificates');
  const may = (name: string) =>
    andThen(
      access.decide(resourceAccess({ user, verb, group, version: '*', resource: 'signers', name })),
      ({ kind }) => kind === 'allow',
    );
  return andThen(may(signer), (mayThis) => mayThis || may(`${signer.split('/')[0]}/*`));
}
