// The file of --authentication-config: read, checked, and followed as it changes.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signatureAlgorithms } from '../authn/jwt.ts';
import { compileConfiguration, type JwtAuthenticator } from '../authn/jwt-issuers/compile.ts';
import { decodeConfiguration } from '../authn/jwt-issuers/configuration.ts';
import type { ExpressionCompiler } from '../authn/jwt-issuers/expression.ts';
import type { Dialect } from '../meta/dialect.ts';

interface AuthenticationFileParts {
  readonly path: string;
  readonly dialect: Dialect;
  /** Issuers of this server's own tokens. */
  readonly ownIssuers: readonly string[];
  /** Whether callers without credentials are a matter of the file. */
  readonly mayDecideAnonymous: boolean;
}

/** The parsed content of a file. */
export interface AuthenticationContent {
  readonly authenticators: readonly JwtAuthenticator[];
  /** Whether a path needs no credentials; undefined where the file leaves that to others. */
  readonly allowsAnonymous: ((path: string) => boolean) | undefined;
  /** Names the content. */
  readonly hash: string;
}

export class AuthenticationFile {
  readonly #parts: AuthenticationFileParts;
  #expressions: ExpressionCompiler | undefined;

  constructor(parts: AuthenticationFileParts) {
    this.#parts = parts;
  }

  /** The bytes as they are now. */
  read(): Buffer {
    return readFileSync(this.#parts.path);
  }

  /** Throws an error in words, with the path of every field that is wrong. */
  async load(bytes: Buffer): Promise<AuthenticationContent> {
    const { dialect, ownIssuers, mayDecideAnonymous } = this.#parts;
    const configuration = await decodeConfiguration(bytes, dialect);
    const { anonymous } = configuration;
    if (anonymous !== undefined && !mayDecideAnonymous)
      throw new Error('anonymous: cannot be used together with anonymousAuth');
    this.#expressions ??= await loadExpressions(dialect);
    const context = { dialect, ownIssuers, algorithms: signatureAlgorithms, expressions: this.#expressions };
    const { authenticators, validationErrors } = compileConfiguration(configuration, context);
    if (validationErrors.length > 0)
      throw new Error(validationErrors.map(({ field, message }) => `${field}: ${message}`).join(', '));
    return {
      authenticators,
      allowsAnonymous: anonymous && anonymousRule(anonymous.enabled, anonymous.conditions),
      hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    };
  }
}

/** The engine is large, and most servers never need it. */
async function loadExpressions(dialect: Dialect): Promise<ExpressionCompiler> {
  const { celExpressions } = await import('../authn/jwt-issuers/cel-expressions.ts');
  return celExpressions(dialect);
}

/** Without conditions everywhere; a path is compared as it was sent. */
function anonymousRule(enabled = false, conditions: readonly { readonly path?: string }[] = []) {
  if (conditions.length === 0) return () => enabled;
  const paths = new Set(conditions.map(({ path }) => path));
  return (path: string) => paths.has(path);
}
