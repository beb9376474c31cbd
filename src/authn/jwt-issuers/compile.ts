// An issuer as it is configured, checked and made ready for use. Every validation error names the field it is about.

import type { Dialect } from '../../meta/dialect.ts';
import { invalidValue, required, tooMany } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import type { Algorithm } from '../jwt.ts';
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimValidationRule,
  JwtAuthenticatorSpec,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './configuration.ts';
import type { Compiled, Expression, ExpressionCompiler, Purpose } from './expression.ts';
import { issuerErrors, keyErrors, repeated } from './issuer-rules.ts';

/** Where a part of the user comes from. */
export type Source =
  | { readonly claim: string; readonly prefix: string; readonly expression?: undefined }
  | { readonly claim?: undefined; readonly expression: Expression };

export interface Rule {
  readonly expression: Expression;
  readonly message: string;
}

/** An issuer that is ready for use. */
export interface JwtAuthenticator {
  readonly url: string;
  readonly discoveryUrl: string | undefined;
  /** PEM certificates of the CA of the issuer's address; undefined for the CA certificates of the system. */
  readonly authorities: string | undefined;
  readonly audiences: readonly string[];
  readonly algorithms: readonly Algorithm[];
  readonly username: Source;
  readonly groups: Source | undefined;
  readonly uid: Source | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: Expression }[];
  /** Of the extra information that has the id of the token. */
  readonly credentialIdKey: string;
  readonly requiredClaims: readonly { readonly claim: string; readonly value: string }[];
  readonly claimRules: readonly Rule[];
  readonly userRules: readonly Rule[];
}

interface CompileContext {
  readonly dialect: Dialect;
  readonly expressions: ExpressionCompiler;
  /** Issuers of this server's own tokens. */
  readonly ownIssuers: readonly string[];
  readonly algorithms: readonly Algorithm[];
}

interface CompiledConfiguration {
  readonly authenticators: readonly JwtAuthenticator[];
  readonly validationErrors: readonly FieldError[];
}

const maxIssuers = 64;

export function compileConfiguration(
  { jwt = [], anonymous }: AuthenticationConfiguration,
  context: CompileContext,
): CompiledConfiguration {
  if (jwt.length > maxIssuers)
    return { authenticators: [], validationErrors: [tooMany('jwt', jwt.length, maxIssuers)] };
  const compilers = jwt.map((spec, index) => new Compiler(spec, `jwt[${index}]`, context));
  const authenticators = compilers.map((compiler) => compiler.compile());
  const validationErrors = [
    ...compilers.flatMap((compiler) => compiler.validationErrors),
    ...repeated(
      jwt.map(({ issuer }) => issuer?.url),
      (index) => `jwt[${index}].issuer.url`,
    ),
    ...repeated(
      jwt.map(({ issuer }) => issuer?.discoveryURL),
      (index) => `jwt[${index}].issuer.discoveryURL`,
    ),
  ];
  const conditions = anonymous?.conditions ?? [];
  if (conditions.length > 0 && anonymous?.enabled !== true)
    validationErrors.push(
      invalidValue('anonymous.conditions', conditions, 'enabled should be set to true when conditions are defined'),
    );
  return { authenticators, validationErrors };
}

class Compiler {
  readonly validationErrors: FieldError[] = [];
  readonly #spec: JwtAuthenticatorSpec;
  readonly #path: string;
  readonly #context: CompileContext;

  constructor(spec: JwtAuthenticatorSpec, path: string, context: CompileContext) {
    this.#spec = spec;
    this.#path = path;
    this.#context = context;
  }

  /** To be used only where there are no validation errors. */
  compile(): JwtAuthenticator {
    const { issuer = {}, claimValidationRules = [], claimMappings = {}, userValidationRules = [] } = this.#spec;
    this.validationErrors.push(...issuerErrors(issuer, `${this.#path}.issuer`, this.#context.ownIssuers));
    const claimRules = this.#claimRules(claimValidationRules);
    const { username = {}, groups = {}, uid = {} } = claimMappings;
    const at = `${this.#path}.claimMappings`;
    const authenticator: JwtAuthenticator = {
      url: issuer.url ?? '',
      discoveryUrl: issuer.discoveryURL,
      authorities: issuer.certificateAuthority,
      audiences: issuer.audiences ?? [],
      algorithms: this.#context.algorithms,
      username: this.#source(username, `${at}.username`, 'required') ?? { claim: '', prefix: '' },
      groups: this.#source(groups, `${at}.groups`),
      uid: this.#source({ ...uid, ...(uid.claim === undefined ? {} : { prefix: '' }) }, `${at}.uid`),
      extra: this.#extra(claimMappings, `${at}.extra`),
      requiredClaims: claimValidationRules.flatMap(({ claim, requiredValue: value = '' }) =>
        claim === undefined ? [] : [{ claim, value }],
      ),
      claimRules,
      credentialIdKey: `authentication.${this.#context.dialect.labelDomain}/credential-id`,
      userRules: this.#userRules(userValidationRules),
    };
    this.#checkEmail(authenticator, `${at}.username.expression`);
    return authenticator;
  }

  #expression(compiled: Compiled, field: string, source: string): Expression | undefined {
    if ('expression' in compiled) return compiled.expression;
    this.validationErrors.push(invalidValue(field, source, compiled.error));
    return undefined;
  }

  #claims(source: string, field: string, purpose: Purpose = 'mapping'): Expression | undefined {
    return this.#expression(this.#context.expressions.claims(source, purpose), field, source);
  }

  #source(
    { claim, prefix, expression }: PrefixedClaimOrExpression,
    field: string,
    need?: 'required',
  ): Source | undefined {
    if (claim !== undefined && expression !== undefined)
      this.validationErrors.push(invalidValue(field, '', "claim and expression can't both be set"));
    else if (expression !== undefined) {
      if (prefix !== undefined)
        this.validationErrors.push(
          invalidValue(`${field}.prefix`, prefix, 'may not be specified when expression is set'),
        );
      const compiled = this.#claims(expression, `${field}.expression`);
      return compiled && { expression: compiled };
    } else if (claim !== undefined) {
      if (prefix === undefined) this.validationErrors.push(required(`${field}.prefix`, prefixAdvice));
      return { claim, prefix: prefix ?? '' };
    } else if (need) this.validationErrors.push(required(field, 'claim or expression is required'));
    return undefined;
  }

  #claimRules(rules: readonly ClaimValidationRule[]): readonly Rule[] {
    const at = (index: number) => `${this.#path}.claimValidationRules[${index}]`;
    const of = (name: 'claim' | 'expression') =>
      repeated(
        rules.map((rule) => (name === 'claim' && rule.expression !== undefined ? undefined : rule[name])),
        (index) => `${at(index)}.${name}`,
      );
    this.validationErrors.push(...rules.flatMap((rule, index) => ruleErrors(rule, at(index))), ...of('claim'));
    this.validationErrors.push(...of('expression'));
    return rules.flatMap(({ claim, expression, message = '' }, index) => {
      if (expression === undefined || claim !== undefined) return [];
      const compiled = this.#claims(expression, `${at(index)}.expression`, 'rule');
      return compiled === undefined ? [] : [{ expression: compiled, message }];
    });
  }

  #userRules(rules: readonly UserValidationRule[]): readonly Rule[] {
    const at = (index: number) => `${this.#path}.userValidationRules[${index}].expression`;
    this.validationErrors.push(
      ...repeated(
        rules.map(({ expression }) => expression),
        at,
      ),
    );
    return rules.flatMap(({ expression, message = '' }, index) => {
      if (expression === undefined) {
        this.validationErrors.push(required(at(index)));
        return [];
      }
      const compiled = this.#expression(this.#context.expressions.user(expression), at(index), expression);
      return compiled === undefined ? [] : [{ expression: compiled, message }];
    });
  }

  #extra({ extra = [] }: ClaimMappings, path: string): JwtAuthenticator['extra'] {
    const at = (index: number) => `${path}[${index}].key`;
    const keys = extra.map(({ key }) => key);
    this.validationErrors.push(
      ...keys.flatMap((key = '', index) => keyErrors(key, at(index), this.#context.dialect)),
      ...repeated(keys, at),
    );
    return extra.flatMap(({ key = '', valueExpression: source }, index) => {
      const field = `${path}[${index}].valueExpression`;
      if (source === undefined) {
        this.validationErrors.push(required(field));
        return [];
      }
      const expression = this.#claims(source, field);
      return expression === undefined ? [] : [{ key, expression }];
    });
  }

  /** An address that was not verified must not become a name unnoticed. */
  #checkEmail({ username, extra, claimRules }: JwtAuthenticator, field: string): void {
    const { expression } = username;
    if (!expression?.usesClaim('email')) return;
    const all = [expression, ...extra.map((one) => one.expression), ...claimRules.map((one) => one.expression)];
    if (all.some((one) => one.usesClaim('email_verified'))) return;
    this.validationErrors.push(
      invalidValue(
        field,
        expression.source,
        'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
      ),
    );
  }
}

const prefixAdvice = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';

function ruleErrors({ claim, requiredValue, expression, message }: ClaimValidationRule, field: string): FieldError[] {
  if (claim !== undefined && expression !== undefined)
    return [invalidValue(field, claim, "claim and expression can't both be set")];
  if (claim === undefined && expression === undefined) return [required(field, 'claim or expression is required')];
  if (claim !== undefined && message !== undefined)
    return [invalidValue(`${field}.message`, message, 'may not be specified when claim is set')];
  if (expression !== undefined && requiredValue !== undefined)
    return [invalidValue(`${field}.requiredValue`, requiredValue, 'may not be specified when expression is set')];
  return [];
}
