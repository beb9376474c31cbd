// Credentials that a program hands out: run when they are needed, kept until they end or are refused.

import type { Clock } from '../../base/time/clock.ts';
import { type Dialect, execInfoVariable } from '../../meta/dialect.ts';
import type { CredentialSource, Credentials } from '../credentials.ts';
import type { ClusterEntry, ExecEntry } from '../kubeconfig/kubeconfig.ts';
import {
  checkExecVersion,
  ExecPluginError,
  execInput,
  type IssuedCredentials,
  parseExecOutput,
} from './exec-credential.ts';
import { findProgram, runProgram } from './run-program.ts';

export interface ExecSettings {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is the plugin's to use, should it be a terminal. */
  readonly mayAskUser: boolean;
  readonly showsErrors: boolean;
  readonly hasTerminal?: () => boolean;
}

export interface ExecParts extends ExecSettings {
  readonly exec: ExecEntry;
  readonly cluster: ClusterEntry;
  /** PEM of who signs the server's certificate. */
  readonly authority: (() => string) | undefined;
}

export class ExecSource implements CredentialSource {
  readonly #parts: ExecParts;
  #cached: IssuedCredentials | undefined;
  #running: Promise<IssuedCredentials> | undefined;

  constructor(parts: ExecParts) {
    checkExecVersion(parts.exec.apiVersion, parts.dialect);
    this.#parts = parts;
  }

  async current(): Promise<Credentials> {
    const cached = this.#cached;
    if (cached !== undefined && (cached.expiresAt === undefined || cached.expiresAt > this.#parts.clock.now()))
      return cached;
    return this.#issue();
  }

  async renew(used: Credentials): Promise<Credentials | undefined> {
    // another request may have been refused before this one
    const newer = this.#running !== undefined || this.#cached === used ? await this.#issue() : this.#cached;
    return newer === undefined || isSame(newer, used) ? undefined : newer;
  }

  /** One run at a time, however many wait for it. */
  #issue(): Promise<IssuedCredentials> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<IssuedCredentials> {
    const { exec, cluster, authority, dialect, environment, showsErrors, clock } = this.#parts;
    const interactive = this.#isInteractive();
    const input = execInput(
      {
        apiVersion: exec.apiVersion,
        interactive,
        ...(exec.provideClusterInfo ? { cluster: { entry: cluster, authority: authority?.() } } : {}),
      },
      dialect,
    );
    const variables = Object.fromEntries(exec.env.map(({ name, value }) => [name, value]));
    const file = findProgram(exec.command, environment['PATH']);
    if (file === undefined) throw missing(exec);
    const output = await runProgram(file, {
      ...exec,
      ...{ interactive, showsErrors, clock },
      environment: { ...environment, ...variables, [execInfoVariable(dialect)]: input },
    });
    this.#cached = parseExecOutput(output, exec.apiVersion);
    return this.#cached;
  }

  #isInteractive(): boolean {
    const { exec, mayAskUser, hasTerminal = () => process.stdin.isTTY === true } = this.#parts;
    if (exec.interactiveMode === 'Never') return false;
    const can = mayAskUser && hasTerminal();
    if (!can && exec.interactiveMode === 'Always')
      throw new ExecPluginError(
        `exec: ${exec.command} has to ask the user, and standard input is not a terminal it may use`,
      );
    return can;
  }
}

const isSame = (a: Credentials, b: Credentials) =>
  a.authorization === b.authorization && a.keyPair?.certificate === b.keyPair?.certificate;

function missing({ command, installHint }: ExecEntry): ExecPluginError {
  const hint = installHint === '' ? '' : `\n\n${installHint}`;
  return new ExecPluginError(`exec: there is no program ${command}${hint}`);
}
