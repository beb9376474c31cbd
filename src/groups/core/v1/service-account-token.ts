// The token subresource of service accounts: a signed token, bound to what the caller names.

import { groupName } from '../../../meta/dialect.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { badRequest, conflict, type FieldError, invalid, notFound } from '../../../meta/status.ts';
import { formatTime } from '../../../meta/time.ts';
import type { NamedObject, TokenOrder } from '../../../meta/tokens.ts';
import type { ActionCall } from '../../../schema/action.ts';
import type { ActionSubresource } from '../../../schema/subresource.ts';
import type { Infer } from '../../../schema/types.ts';
import { tokenRequest } from '../../authentication/v1/token-request.ts';

type TokenRequest = ApiObject & Infer<typeof tokenRequest>;
type Spec = NonNullable<TokenRequest['spec']>;
type BoundReference = NonNullable<Spec['boundObjectRef']>;

const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;
/** What the volumes of pods ask for; such tokens are meant to be renewed, and live on for programs that do not. */
const podVolumeSeconds = 3607;
const yearSeconds = 365 * 24 * 60 * 60;

export const tokenSubresource: ActionSubresource = {
  is: 'action',
  name: 'token',
  verbs: ['create'],
  shows: { group: 'authentication', version: 'v1', kind: 'TokenRequest' },
  type: tokenRequest,
  confidential: true,
  action: { defaults, prepare, validate, run },
};

function defaults(input: TokenRequest): TokenRequest {
  return { ...input, spec: { ...input.spec, expirationSeconds: input.spec?.expirationSeconds ?? defaultSeconds } };
}

/** The request says whose token it is about. */
async function prepare(input: TokenRequest, call: ActionCall): Promise<TokenRequest> {
  const { ref, clock, tokens } = call;
  checkName(input, call);
  const { uid = '' } = (await existing(call, 'serviceaccounts', ref)).metadata;
  checkUid(input, uid, call);
  const creationTimestamp = formatTime(clock.now());
  const { name, namespace } = ref;
  const audiences = input.spec?.audiences?.length ? input.spec.audiences : tokens.audiences;
  return {
    ...input,
    metadata: { ...input.metadata, name, namespace, uid, creationTimestamp },
    spec: { ...input.spec, audiences },
  };
}

function validate(input: TokenRequest): readonly FieldError[] {
  const seconds = input.spec?.expirationSeconds ?? defaultSeconds;
  const at = 'spec.expirationSeconds';
  if (seconds < minSeconds) return [invalidValue(at, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > maxSeconds ? [invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}

async function run(input: TokenRequest, call: ActionCall): Promise<ApiObject> {
  const { ref, clock, tokens } = call;
  const account = await existing(call, 'serviceaccounts', ref);
  const { spec = {} } = input;
  const audiences = spec.audiences?.length ? spec.audiences : tokens.audiences;
  const bound = spec.boundObjectRef ? await boundTo(spec.boundObjectRef, call) : {};
  const seconds = limited(spec.expirationSeconds ?? defaultSeconds, call);
  const isKept =
    tokens.extendPodTokens && bound.pod !== undefined && seconds === podVolumeSeconds && isOurs(audiences, call);
  const token = await tokens.issue({
    namespace: ref.namespace,
    account: named(account),
    audiences,
    lifetimeSeconds: isKept ? Math.min(yearSeconds, tokens.maxLifetimeSeconds ?? yearSeconds) : seconds,
    ...(isKept ? { warnAfterSeconds: seconds } : {}),
    ...bound,
  });
  call.annotate(`authentication.${call.dialect.labelDomain}/issued-credential-id`, `JTI=${idOf(token)}`);
  const now = clock.now();
  return {
    ...input,
    spec: { ...spec, audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(now + seconds * 1000) },
  };
}

/** The name by which the token can be recognised where it is used. */
function idOf(token: string): string {
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    readonly jti?: string;
  };
  return payload.jti ?? '';
}

const subjectOf = ({ dialect, ref }: ActionCall) => {
  const { group, kind } = tokenSubresource.shows;
  return { group: groupName(dialect, group), kind, name: ref.name };
};

function checkName({ metadata: { name } }: ApiObject, call: ActionCall): void {
  if (!name || name === call.ref.name) return;
  const why = 'must match the service account name if specified';
  throw invalid(subjectOf(call), [invalidValue('metadata.name', name, why)]);
}

/** A client that means an earlier account of this name gets no token of the present one. */
function checkUid({ metadata }: ApiObject, uid: string, call: ActionCall): void {
  if (!metadata.uid || metadata.uid === uid) return;
  const { group, kind: resource, name } = subjectOf(call);
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
  throw conflict({ group, resource, name }, why);
}

function limited(seconds: number, { tokens, warn }: ActionCall): number {
  const { maxLifetimeSeconds: limit } = tokens;
  if (limit === undefined || seconds <= limit) return seconds;
  warn(`requested expiration of ${seconds} seconds shortened to ${limit} seconds`);
  return limit;
}

const isOurs = (audiences: readonly string[], { tokens }: ActionCall) =>
  audiences.every((audience) => tokens.audiences.includes(audience));

const named = ({ metadata }: ApiObject): NamedObject => ({ name: metadata.name ?? '', uid: metadata.uid ?? '' });

async function existing({ objects }: ActionCall, resource: string, ref: { namespace: string; name: string }) {
  if (ref.name === '') throw badRequest('Name parameter required.');
  const found = await objects.get({ group: '', version: 'v1', resource }, ref);
  if (found === undefined) throw notFound({ group: '', resource, name: ref.name });
  return found;
}

type Bound = Pick<TokenOrder, 'pod' | 'secret' | 'node'>;

async function boundTo(
  { kind = '', apiVersion = '', name = '', uid }: BoundReference,
  call: ActionCall,
): Promise<Bound> {
  const { namespace } = call.ref;
  const check = (object: ApiObject) => sameObject(object, kind, uid);
  switch (isOfCore(apiVersion) ? kind : undefined) {
    case 'Pod': {
      const pod = check(await existing(call, 'pods', { namespace, name }));
      return { pod: named(pod), ...(await nodeOf(pod, call)) };
    }
    case 'Secret':
      return { secret: named(check(await existing(call, 'secrets', { namespace, name }))) };
    case 'Node':
      return { node: named(check(await existing(call, 'nodes', { namespace: '', name }))) };
    default:
      throw badRequest(
        `cannot bind token to object of type ${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`,
      );
  }
}

/** compat: an apiVersion that is no group and version means the core group */
const isOfCore = (apiVersion: string) => apiVersion.split('/').length !== 2;

/** A pod's token is for the account that the pod runs under; it also says where the pod runs. */
async function nodeOf(pod: ApiObject, { ref, objects }: ActionCall): Promise<Pick<Bound, 'node'>> {
  const { serviceAccountName = '', nodeName = '' } = (pod['spec'] ?? {}) as Record<string, string | undefined>;
  if (serviceAccountName !== ref.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(ref.name)} to pod running with different serviceaccount name.`,
    );
  if (nodeName === '') return {};
  const node = await objects.get({ group: '', version: 'v1', resource: 'nodes' }, { namespace: '', name: nodeName });
  return { node: { name: nodeName, uid: node?.metadata.uid ?? '' } };
}

function sameObject(object: ApiObject, kind: string, uid: string | undefined): ApiObject {
  if (!uid || uid === object.metadata.uid) return object;
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: '', resource: kind, name: object.metadata.name ?? '' }, why);
}
