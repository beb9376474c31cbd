// Tokens of service accounts: signed by this server, good as long as what they are bound to exists.

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { Histogram, usualBounds } from '../../base/histogram.ts';
import { isJsonObject, type JsonValue } from '../../base/json/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type Dialect, labelKey } from '../../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../../meta/object.ts';
import type { NamedObject, TokenOrder, TokenOwner } from '../../meta/tokens.ts';
import { serviceAccountGroups, serviceAccountName } from '../../meta/user.ts';
import { type Claims, isSigned, parseJwt, type SigningKey, signJwt, type VerificationKey } from '../jwt.ts';
import { shared, TokenError } from '../token-authenticator.ts';
import { audiencesOf, unreadableClaim } from '../token-claims.ts';
import { joinedNotes, type SecretLabelWriter, type SecretTokenUse, TokenUses } from './token-uses.ts';

interface ServiceAccountTokenConfig {
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** The first signs; tokens of all are accepted. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Made when the first token is. */
  readonly signingKey: () => MaybePromise<SigningKey>;
  /** Signs the tokens in Secrets. */
  readonly secretsKey: () => MaybePromise<SigningKey>;
  /** The keys whose tokens are trusted. */
  readonly keys: () => readonly VerificationKey[];
  /** Core objects that tokens depend on; undefined where tokens are good until they expire. */
  readonly lookup: CoreLookup | undefined;
  readonly labelSecret: SecretLabelWriter;
}

export type CoreLookup = (plural: string, ref: ObjectRef) => Promise<ApiObject | undefined>;

/** Clocks differ, and a pod that is going may need its token for a little longer. */
const leewaySeconds = 60;
const cacheLimit = 4096;

/** The claims of a token, in either of the two forms. */
interface Statement {
  readonly namespace: string;
  readonly account: NamedObject;
  readonly pod?: NamedObject | undefined;
  readonly node?: NamedObject | undefined;
  readonly secret?: { readonly name: string; readonly uid?: string } | undefined;
  readonly id: string;
  readonly isLegacy: boolean;
}

export class ServiceAccountTokens {
  readonly uses: TokenUses;
  /** Tokens whose signature was known, and those whose signature was checked, by the outcome. */
  readonly checks = {
    known: 0,
    good: 0,
    bad: 0,
    seconds: { hit: new Histogram(usualBounds), miss: new Histogram(usualBounds) },
  };
  readonly #config: ServiceAccountTokenConfig;
  /** Claims of tokens whose signature was found good, by a hash of the token. */
  readonly #verified = new Map<string, Claims>();

  constructor(config: ServiceAccountTokenConfig) {
    this.#config = config;
    this.uses = new TokenUses(config);
  }

  async issue(order: TokenOrder): Promise<string> {
    const { clock, issuers, dialect } = this.#config;
    const key = await this.#config.signingKey();
    const now = Math.floor(clock.now() / 1000);
    const { namespace, account, pod, secret, node } = order;
    const bound = {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      serviceaccount: account,
      ...(order.warnAfterSeconds === undefined ? {} : { warnafter: now + order.warnAfterSeconds }),
    };
    const claims = {
      aud: order.audiences,
      exp: now + order.lifetimeSeconds,
      iat: now,
      iss: issuers[0],
      jti: randomUUID(),
      [dialect.labelDomain]: bound,
      nbf: now,
      sub: serviceAccountName(namespace, account.name),
    };
    return signJwt(claims, key);
  }

  /** A token as Secrets hold it: without an end, good as long as the Secret exists. */
  async issueForSecret(namespace: string, account: NamedObject, secret: string): Promise<string> {
    const { dialect, secretsKey } = this.#config;
    const key = (name: string) => labelKey(dialect, `serviceaccount/${name}`);
    const claims = {
      iss: legacyIssuer(dialect),
      [key('namespace')]: namespace,
      [key('secret.name')]: secret,
      [key('service-account.name')]: account.name,
      [key('service-account.uid')]: account.uid,
      sub: serviceAccountName(namespace, account.name),
    };
    return signJwt(claims, await secretsKey());
  }

  /** Undefined for tokens of other issuers. */
  async check(token: string, requestedAudiences: readonly string[]): Promise<TokenOwner | undefined> {
    const claims = this.#verifiedClaims(token);
    if (claims === undefined) return undefined;
    const unreadable = unreadableClaim(claims);
    if (unreadable !== undefined) throw new TokenError(`service account token cannot be read: ${unreadable}`);
    const statement = claims['iss'] === legacyIssuer(this.#config.dialect) ? this.#legacy(claims) : this.#bound(claims);
    const subject = text(claims['sub']);
    const unaddressed = audiencesOf(claims).length === 0 ? this.uses.withoutAudience(subject) : undefined;
    const audiences = this.#audiences(claims, requestedAudiences);
    this.#checkTime(claims);
    const { lookup } = this.#config;
    const held = lookup === undefined ? undefined : await this.#checkObjects(statement, token, lookup);
    const ofSecret = held === undefined ? undefined : await this.uses.ofSecret(held);
    const notes = joinedNotes([unaddressed, ofSecret, this.#renewal(claims, subject)]);
    return { user: this.#userOf(statement), audiences, ...(notes === undefined ? {} : { notes }) };
  }

  #renewal(claims: Claims, subject: string) {
    const own = claims[this.#config.dialect.labelDomain];
    const warnAfter = own !== undefined && isJsonObject(own) ? own['warnafter'] : undefined;
    return typeof warnAfter === 'number' && warnAfter !== 0 ? this.uses.untilRenewed(warnAfter, subject) : undefined;
  }

  /** The claims of a token that one of our keys signed. */
  #verifiedClaims(token: string): Claims | undefined {
    const { known: verification, seconds } = this.checks;
    const began = performance.now();
    try {
      return this.#look(token);
    } finally {
      seconds[this.checks.known > verification ? 'hit' : 'miss'].observe((performance.now() - began) / 1000);
    }
  }

  #look(token: string): Claims | undefined {
    const hash = createHash('sha256').update(token).digest('base64');
    const verification = this.#verified.get(hash);
    if (verification !== undefined) {
      this.checks.known++;
      return verification;
    }
    const jwt = parseJwt(token);
    if (jwt === undefined) return undefined;
    const { issuers, dialect, keys } = this.#config;
    const issuer = jwt.claims['iss'];
    if (typeof issuer !== 'string' || ![...issuers, legacyIssuer(dialect)].includes(issuer)) return undefined;
    const isGood = isSigned(jwt, keys());
    this.checks[isGood ? 'good' : 'bad']++;
    if (!isGood) throw new TokenError('the signature of the token is not valid');
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size < cacheLimit) break;
      this.#verified.delete(oldest);
    }
    this.#verified.set(hash, jwt.claims);
    return jwt.claims;
  }

  #bound(claims: Claims): Statement {
    const own = claims[this.#config.dialect.labelDomain];
    if (own === undefined || !isJsonObject(own)) throw new TokenError('the token says nothing of its account');
    const namespace = text(own['namespace']);
    const account = namedIn(own, 'serviceaccount');
    if (account === undefined || claims['sub'] !== serviceAccountName(namespace, account.name))
      throw new TokenError('the subject of the token is not its account');
    const [pod, node, secret] = [namedIn(own, 'pod'), namedIn(own, 'node'), namedIn(own, 'secret')];
    return { namespace, account, pod, node, secret, id: text(claims['jti']), isLegacy: false };
  }

  #legacy(claims: Claims): Statement {
    const claim = (name: string) => text(claims[labelKey(this.#config.dialect, `serviceaccount/${name}`)]);
    const namespace = claim('namespace');
    const account = { name: claim('service-account.name'), uid: claim('service-account.uid') };
    if (claims['sub'] !== serviceAccountName(namespace, account.name))
      throw new TokenError('the subject of the token is not its account');
    return { namespace, account, secret: { name: claim('secret.name') }, id: '', isLegacy: true };
  }

  #audiences(claims: Claims, requestedAudiences: readonly string[]): readonly string[] {
    const tokenAudiences = audiencesOf(claims);
    const own = tokenAudiences.length === 0 ? this.#config.audiences : tokenAudiences;
    const audiences = shared(own, requestedAudiences);
    if (audiences.length > 0) return audiences;
    throw new TokenError(
      `token audiences ${JSON.stringify(own)} is invalid for the target audiences ${JSON.stringify(requestedAudiences)}`,
    );
  }

  #checkTime({ exp, nbf, iat }: Claims): void {
    const now = this.#config.clock.now() / 1000;
    if (typeof exp === 'number' && now > exp + leewaySeconds) throw new TokenError('service account token has expired');
    if (typeof nbf === 'number' && now < nbf - leewaySeconds)
      throw new TokenError('service account token is not valid yet');
    if (typeof iat === 'number' && now < iat - leewaySeconds)
      throw new TokenError('service account token claims could not be validated due to unexpected validation error');
  }

  /** Throws if a bound object is deleted. Returns the use of a token that a Secret holds. */
  async #checkObjects(statement: Statement, token: string, lookup: CoreLookup): Promise<SecretTokenUse | undefined> {
    const { namespace, pod, secret, node } = statement;
    const { name, uid } = statement.account;
    const account = await this.#checkObject(lookup, 'serviceaccounts', { namespace, name }, uid);
    if (pod !== undefined) await this.#checkObject(lookup, 'pods', { namespace, name: pod.name }, pod.uid);
    // the node of a pod is for information only; a token bound to a node alone ends with it
    else if (node !== undefined) await this.#checkObject(lookup, 'nodes', { namespace: '', name: node.name }, node.uid);
    if (secret === undefined) return undefined;
    const tokenSecret = await this.#checkObject(lookup, 'secrets', { namespace, name: secret.name }, secret.uid);
    if (!statement.isLegacy) return undefined;
    if (!holds(tokenSecret, token)) throw new TokenError('the token has been taken out of its secret');
    return { secret: tokenSecret, account };
  }

  async #checkObject(lookup: CoreLookup, plural: string, ref: ObjectRef, uid?: string): Promise<ApiObject> {
    const boundObject = await lookup(plural, ref);
    if (boundObject === undefined) throw new TokenError(`${plural} ${JSON.stringify(ref.name)} not found`);
    const { uid: current } = boundObject.metadata;
    if (endOf(boundObject, this.#config.dialect) + leewaySeconds * 1000 < this.#config.clock.now())
      throw new TokenError(`${plural} ${JSON.stringify(ref.name)} has been deleted`);
    if (uid !== undefined && uid !== current)
      throw new TokenError(`${plural} ${JSON.stringify(ref.name)} is not the one the token was made for`);
    return boundObject;
  }

  #userOf({ namespace, account, pod, node, id }: Statement): TokenOwner['user'] {
    const key = (name: string) => `authentication.${this.#config.dialect.labelDomain}/${name}`;
    const extra = {
      ...(id === '' ? {} : { [key('credential-id')]: [`JTI=${id}`] }),
      ...(node === undefined ? {} : { [key('node-name')]: [node.name] }),
      ...(node === undefined || node.uid === '' ? {} : { [key('node-uid')]: [node.uid] }),
      ...(pod === undefined ? {} : { [key('pod-name')]: [pod.name], [key('pod-uid')]: [pod.uid] }),
    };
    return {
      name: serviceAccountName(namespace, account.name),
      uid: account.uid,
      groups: serviceAccountGroups(namespace),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  }
}

const legacyIssuer = ({ vendor }: Dialect) => `${vendor}/serviceaccount`;
const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');

function namedIn(claims: Claims, key: string): NamedObject | undefined {
  const value = claims[key];
  if (value === undefined || !isJsonObject(value)) return undefined;
  return { name: text(value['name']), uid: text(value['uid']) };
}

function holds(secret: ApiObject, token: string): boolean {
  const { token: stored = '' } = (secret['data'] ?? {}) as { readonly token?: string };
  const [a, b] = [Buffer.from(stored, 'base64'), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** When an object that is being deleted must be removed; never for other objects. */
function endOf({ metadata }: ApiObject, { rules }: Dialect): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined) return Number.POSITIVE_INFINITY;
  return Date.parse(deletionTimestamp) + (rules.deletionTimestamp === 'end' ? 0 : deletionGracePeriodSeconds * 1000);
}
