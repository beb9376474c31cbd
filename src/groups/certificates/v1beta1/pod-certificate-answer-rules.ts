// The answer to a PodCertificateRequest: one outcome, final, and a certificate that fits what was asked for.

import type { X509Certificate } from 'node:crypto';
import { isSameJson } from '../../../base/json/json.ts';
import { pemBlocks } from '../../../codec/pem.ts';
import { apiserverWord, type Dialect } from '../../../meta/dialect.ts';
import { invalidAt, invalidValue, notSupported, required, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { formatTime } from '../../../meta/time.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { oneOf, type ValidationErrors } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';
import { readCertificate } from '../v1/signing-request-rules.ts';
import { requestedKey, type Spec, specOf } from './pod-certificate-key-rules.ts';
import type { PodCertificateRequest } from './pod-certificate-request-type.ts';

type Status = NonNullable<PodCertificateRequest['status']>;

const statusOf = (object: PodCertificateRequest): Status => object.status ?? {};
export const outcomes = ['Issued', 'Denied', 'Failed'];

const hasOutcome = (object: PodCertificateRequest, types = outcomes) =>
  (statusOf(object).conditions ?? []).some(({ type = '', status }) => types.includes(type) && status === 'True');

const single = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';

/** compat: what is wrong with a condition of a PodCertificateRequest is reported at a path with a dot too many */
function validateOutcomes({ conditions = [] }: Status): ValidationErrors {
  const known = conditions.filter(({ type = '' }) => outcomes.includes(type));
  return findEach(conditions, (one, index) => {
    const { type = '', status = '' } = one;
    const at = `status.conditions.[${index}]`;
    if (!outcomes.includes(type)) return [notSupported(`${at}.type`, type, outcomes)];
    return [
      ...(known[0] === one ? [] : [invalidValue(`${at}.type`, type, single)]),
      ...oneOf(`${at}.status`, status, ['True']),
    ];
  });
}

function validateAnswer(
  next: PodCertificateRequest,
  old: PodCertificateRequest,
  context: StrategyContext,
): ValidationErrors {
  const status = statusOf(next);
  const found = [...validateOutcomes(status), ...validateConditionList(status.conditions, 'status.conditions')];
  return found.length > 0 ? found : validateStep(next, old, context);
}

/** From what was answered before to what is answered now. */
function validateStep(
  next: PodCertificateRequest,
  old: PodCertificateRequest,
  context: StrategyContext,
): ValidationErrors {
  const status = statusOf(next);
  if (hasOutcome(old))
    return same(status, statusOf(old), 'immutable after PodCertificateRequest is issued, denied, or failed');
  if (hasOutcome(next, ['Denied', 'Failed'])) {
    const rest = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
    return same(status, { conditions: status.conditions }, rest);
  }
  if (hasOutcome(next)) return validateIssued(status, specOf(old), context);
  return same(status, statusOf(old), 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
}

function same(next: object, wanted: object, detail: string): ValidationErrors {
  const given = (value: object) => JSON.parse(JSON.stringify(value)) as unknown;
  return isSameJson(given(next), given(wanted)) ? [] : [invalidAt('status', detail)];
}

const maxChainBytes = 100 * 1024;
const chainAt = 'status.certificateChain';

function validateIssued(status: Status, spec: Spec, context: StrategyContext): ValidationErrors {
  const { certificateChain: chain = '' } = status;
  const refuse = (detail: string) => [invalidValue(chainAt, chain, detail)];
  if (Buffer.byteLength(chain) > maxChainBytes) return [tooLong(chainAt, maxChainBytes)];
  const [leafBlock, ...others] = pemBlocks(chain);
  if (leafBlock === undefined) return refuse('issued certificate chain must contain at least one certificate');
  const foreign = 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks';
  if (leafBlock.type !== 'CERTIFICATE') return refuse(foreign);
  const leaf = readCertificate(leafBlock.bytes);
  if (leaf === undefined) return refuse('leaf certificate does not parse as valid X.509');
  const key = requestedKey(spec);
  if (key === undefined || !leaf.publicKey.equals(key))
    return refuse('leaf certificate was not issued to the requested public key');
  const found = validateTimes(status, leaf, spec, context);
  if (found.length > 0) return found;
  if (others.some(({ type }) => type !== 'CERTIFICATE')) return refuse(foreign);
  const areRead = others.every(({ bytes }) => readCertificate(bytes) !== undefined);
  return areRead ? [] : refuse('intermediate certificate does not parse as valid X.509');
}

const minute = 60_000;
const shortestLife = 60 * minute;
const skew = 5 * minute;
const refreshMargin = 10 * minute;

/** All times are given; then the first thing wrong with them. */
function validateTimes(status: Status, leaf: X509Certificate, spec: Spec, context: StrategyContext): ValidationErrors {
  const { notBefore, notAfter, beginRefreshAt } = status;
  const consistent = 'must be present and consistent with the issued certificate';
  const refresh = 'must be present and in the range [notbefore+10min, notafter-10min]';
  const missing = [
    ...(notBefore ? [] : [required('status.notBefore', consistent)]),
    ...(notAfter ? [] : [required('status.notAfter', consistent)]),
    ...(beginRefreshAt ? [] : [required('status.beginRefreshAt', refresh)]),
  ];
  if (missing.length > 0) return missing;
  const [from, until, begin] = [notBefore, notAfter, beginRefreshAt].map((text) => Date.parse(text ?? '')) as Times;
  const moments = { from, until, begin, now: context.clock.now() };
  const first = timeProblems(leaf, spec, moments, context.dialect).find(([broken]) => broken);
  return first === undefined ? [] : [invalidValue(first[1], first[2], first[3])];
}

type Times = [number, number, number];

interface Moments {
  readonly from: number;
  readonly until: number;
  readonly begin: number;
  readonly now: number;
}

type Problem = readonly [broken: boolean, at: string, value: string, detail: string];

function timeProblems(
  leaf: X509Certificate,
  spec: Spec,
  { from, until, begin, now }: Moments,
  dialect: Dialect,
): readonly Problem[] {
  const life = Date.parse(leaf.validTo) - Date.parse(leaf.validFrom);
  const { maxExpirationSeconds: most = 0 } = spec;
  const at = (name: string, time: number) => [`status.${name}`, formatTime(time)] as const;
  const before = at('notBefore', from);
  const refresh = at('beginRefreshAt', begin);
  const lifetime = [chainAt, `${life / 1000}s`] as const;
  const encoded = (name: string) => `must be set to the ${name} time encoded in the leaf certificate`;
  return [
    [from !== Date.parse(leaf.validFrom), ...before, encoded('NotBefore')],
    [
      Math.abs(from - now) >= skew,
      ...before,
      `must be set to within 5 minutes of ${apiserverWord(dialect)}'s current time`,
    ],
    [until !== Date.parse(leaf.validTo), ...at('notAfter', until), encoded('NotAfter')],
    [life < shortestLife, ...lifetime, 'leaf certificate lifetime must be >= 1 hour'],
    [life > most * 1000, ...lifetime, `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${most})`],
    [begin < from + refreshMargin, ...refresh, 'must be at least 10 minutes after status.notBefore'],
    [begin > until - refreshMargin, ...refresh, 'must be at least 10 minutes before status.notAfter'],
  ];
}

export const answerPart: PartSubresource<PodCertificateRequest> = {
  ...statusAlone,
  validateUpdate: validateAnswer,
};
