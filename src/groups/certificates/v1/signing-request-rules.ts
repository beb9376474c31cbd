// CertificateSigningRequest: who asks is written down by the server; approval and the certificate have a way of their
// own to get in, and neither may be taken back.

import { X509Certificate } from 'node:crypto';
import { isSameJson } from '../../../base/json/json.ts';
import { pemBlocks } from '../../../codec/pem.ts';
import { labelKey } from '../../../meta/dialect.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { repeatsIn, type ValidationErrors } from '../../rules.ts';
import { mergeStatus, statusOnly } from '../../subresources.ts';
import type { CertificateSigningRequest } from './certificate-signing-request-type.ts';
import { issuedDuration } from './issued-duration.ts';
import { keyUsages } from './key-usages.ts';
import { requestedCertificate } from './requested-certificate.ts';
import { validateSignerName } from './signer-name.ts';

type Spec = NonNullable<CertificateSigningRequest['spec']>;
type Status = NonNullable<CertificateSigningRequest['status']>;
type Condition = NonNullable<Status['conditions']>[number];

interface Typed {
  readonly type?: string;
}
/** A request whose conditions say what was decided. */
interface Decided<C extends Typed = Typed> extends ApiObject {
  readonly status?: { readonly conditions?: readonly C[] };
}

const specOf = (object: CertificateSigningRequest): Spec => object.spec ?? {};
const statusOf = (object: CertificateSigningRequest): Status => object.status ?? {};

function prepareForCreate(object: CertificateSigningRequest, { user }: StrategyContext): ApiObject {
  const { username: _, uid: __, groups: ___, extra: ____, ...asked } = specOf(object);
  const { name = '', uid = '', groups = [], extra = {} } = user ?? {};
  const spec = {
    ...asked,
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  return { ...object, spec };
}

const shortestSeconds = 600;

/** Requests that are stored with it stay what they are. */
function refuseLegacySigner(object: CertificateSigningRequest, { dialect }: StrategyContext): ValidationErrors {
  const { signerName = '' } = specOf(object);
  if (signerName !== labelKey(dialect, 'legacy-unknown')) return [];
  return [invalidValue('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version')];
}

function validate(object: CertificateSigningRequest, { dialect }: StrategyContext): ValidationErrors {
  const { signerName = '', expirationSeconds: seconds } = specOf(object);
  const legacy = signerName === labelKey(dialect, 'legacy-unknown');
  return [
    ...validateRequest(specOf(object)),
    ...validateUsages(specOf(object).usages ?? []),
    ...(legacy ? [] : validateSignerName(signerName, 'spec.signerName')),
    ...(seconds !== undefined && seconds < shortestSeconds
      ? [
          invalidValue(
            'spec.expirationSeconds',
            seconds,
            `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`,
          ),
        ]
      : []),
    ...validateConditions(statusOf(object).conditions ?? []),
  ];
}

function validateRequest(spec: Spec): ValidationErrors {
  const { request = '' } = spec;
  const requested = requestedCertificate({ spec });
  const problem = requested.problem ?? requested.certificate.signatureProblem();
  return problem === undefined ? [] : [invalidValue('spec.request', request, problem)];
}

function validateUsages(given: readonly string[]): ValidationErrors {
  if (given.length === 0) return [required('spec.usages')];
  const at = (index: number) => `spec.usages[${index}]`;
  const isRepeated = repeatsIn(given);
  return findEach(given, (usage, index) => [
    ...(keyUsages.includes(usage) ? [] : [notSupported(at(index), usage, keyUsages)]),
    ...(isRepeated(index) ? [duplicate(at(index), usage)] : []),
  ]);
}

/** Decisions are made or not; they are not unmade by saying False. */
const decisions = ['Approved', 'Denied', 'Failed'];

function validateConditions(conditions: readonly Condition[]): ValidationErrors {
  const at = 'status.conditions';
  const types = conditions.map(({ type = '' }) => type);
  const isRepeated = repeatsIn(types);
  const both = types.includes('Approved') && types.includes('Denied');
  const second = types.findLast((type) => type === 'Approved' || type === 'Denied');
  return [
    ...findEach(conditions, ({ type = '', status = '' }, index) => [
      ...(type === '' ? [required(`${at}[${index}].type`)] : []),
      ...validateConditionStatus(type, status, `${at}[${index}].status`),
      ...(isRepeated(index) ? [duplicate(`${at}[${index}].type`, type)] : []),
    ]),
    ...(both ? [invalidValue(at, second, 'Approved and Denied conditions are mutually exclusive')] : []),
  ];
}

function validateConditionStatus(type: string, status: string, at: string): ValidationErrors {
  const allowed = decisions.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  if (status === '') return [required(at)];
  return allowed.includes(status) ? [] : [notSupported(at, status, allowed)];
}

const ofType = <C extends Typed>({ status }: Decided<C>, type: string): readonly C[] =>
  (status?.conditions ?? []).filter((condition) => condition.type === type);

/** What no way of changing the object may do. */
function validateKept(next: CertificateSigningRequest, old: CertificateSigningRequest): ValidationErrors {
  return decisions
    .filter((type) => ofType(next, type).length < ofType(old, type).length)
    .map((type) => forbiddenField('status.conditions', `updates may not remove a condition of type "${type}"`));
}

/** A write elsewhere than to `approval` may not say that a user approved. */
function validateNotApproving(next: CertificateSigningRequest, old: CertificateSigningRequest): ValidationErrors {
  return ['Approved', 'Denied'].flatMap((type) => {
    const now = ofType(next, type);
    const before = ofType(old, type);
    if (now.length < before.length || isSameJson(now, before)) return [];
    const verb = now.length > before.length ? 'add' : 'modify';
    return [forbiddenField('status.conditions', `updates may not ${verb} a condition of type "${type}"`)];
  });
}

const issued = 'status.certificate';

const isIssuing = (next: CertificateSigningRequest, old: CertificateSigningRequest) =>
  (statusOf(next).certificate ?? '') !== (statusOf(old).certificate ?? '');

function validateIssued(next: CertificateSigningRequest, old: CertificateSigningRequest): ValidationErrors {
  if (!isIssuing(next, old)) return [];
  const problem = certificateProblem(Buffer.from(statusOf(next).certificate ?? '', 'base64').toString('latin1'));
  return problem === undefined ? [] : [invalidValue(issued, '<certificate data>', problem)];
}

function validateNotReissuing(next: CertificateSigningRequest, old: CertificateSigningRequest): ValidationErrors {
  if (!isIssuing(next, old) || !statusOf(old).certificate) return [];
  return [forbiddenField(issued, 'updates may not modify existing certificate content')];
}

function certificateProblem(pem: string): string | undefined {
  if (pem === '') return undefined;
  const blocks = pemBlocks(pem);
  const odd = blocks.find(({ type }) => type !== 'CERTIFICATE');
  if (odd !== undefined) return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(odd.type)}`;
  if (blocks.some(({ hasHeaders }) => hasHeaders)) return 'no PEM block headers are permitted';
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  const bad = blocks.find(({ bytes }) => readCertificate(bytes) === undefined);
  if (bad === undefined) return undefined;
  return bad.bytes.length === 0
    ? 'found CERTIFICATE PEM block containing 0 certificates'
    : 'x509: malformed certificate';
}

/** Undefined when the bytes are no certificate. */
export function readCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

/** Conditions say when they were written and since when they hold. */
function withTimes(
  next: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { clock }: StrategyContext,
): ApiObject {
  const now = formatTime(clock.now());
  const status = statusOf(next);
  if (!status.conditions) return next;
  const heldSince = transitionTimes(statusOf(old).conditions ?? []);
  const conditions = status.conditions.map((one) => ({
    ...one,
    lastUpdateTime: one.lastUpdateTime ?? now,
    lastTransitionTime: one.lastTransitionTime ?? heldSince.get(stateOf(one)) ?? now,
  }));
  return { ...next, status: { ...status, conditions } };
}

const stateOf = ({ type = '', status = '' }: Condition) => `${type.length} ${type}${status}`;

/** Since when conditions hold, by what they say; of several that say the same the first counts. */
function transitionTimes(conditions: readonly Condition[]): ReadonlyMap<string, string | undefined> {
  return new Map([...conditions].reverse().map((one) => [stateOf(one), one.lastTransitionTime]));
}

/** Who does not approve cannot change what was decided: as many decisions as there were stay what they were. */
function withDecision<T extends Decided>(next: T, old: T, type: string): T {
  const before = ofType(old, type);
  if (before.length !== ofType(next, type).length) return next;
  let at = 0;
  const conditions = next.status?.conditions?.map((one) => (one.type === type ? before[at++] : one));
  return conditions ? { ...next, status: { ...next.status, conditions } } : next;
}

const withDecisions = (next: CertificateSigningRequest, old: CertificateSigningRequest) =>
  withDecision(withDecision(next, old, 'Approved'), old, 'Denied');

export const signingRequestRules: Strategy<CertificateSigningRequest> = {
  updateChecks: { newFirst: true },
  prepareForCreate,
  prepareForUpdate: (next, old) => ({ ...next, spec: old['spec'], status: old['status'] }),
  validate,
  validateCreate: refuseLegacySigner,
};

/** Issues: sets the certificate, or says that it cannot be issued. */
export const signingStatusPart: PartSubresource<CertificateSigningRequest> = {
  ...statusOnly,
  validatesWhole: true,
  resetFields: ['spec', 'status.conditions'],
  merge: (next, old, context) => withTimes(withDecisions(mergeStatus(next, old), old), old, context),
  validateUpdate: (next, old) => [
    ...validateIssued(next, old),
    ...validateKept(next, old),
    ...validateNotApproving(next, old),
    ...validateNotReissuing(next, old),
  ],
  counts: issuedDuration,
};

/** Decides: sets conditions, and nothing else. */
export const approvalPart: PartSubresource<CertificateSigningRequest> = {
  ...statusOnly,
  name: 'approval',
  tables: false,
  validatesWhole: true,
  resetFields: ['spec', 'status.certificate'],
  merge(next, old, context) {
    const { conditions: _, ...kept } = statusOf(old);
    const { conditions } = statusOf(next);
    const status = conditions ? { ...kept, conditions } : kept;
    return withTimes({ ...old, metadata: next.metadata, status }, old, context);
  },
  validateUpdate: validateKept,
};
