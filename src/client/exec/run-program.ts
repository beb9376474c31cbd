// Runs a program and returns its standard output.

import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import type { Clock } from '../../base/time/clock.ts';
import { ExecPluginError } from './exec-credential.ts';

interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the program may read from the terminal. */
  readonly interactive: boolean;
  readonly showsErrors: boolean;
  readonly clock: Clock;
}

/** No credentials are longer. */
const maxOutputBytes = 1024 * 1024;
/** The user may have to log in meanwhile; but not for ever. */
const patienceMs = 5 * 60_000;

/** Undefined when there is no such program. Names without a folder are looked for in PATH, but never in the working folder. */
export function findProgram(command: string, path = ''): string | undefined {
  if (command.includes(sep)) return isProgram(command) ? command : undefined;
  const places = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return places.map((folder) => join(folder, command)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Standard output of a program that ended well; `file` is where it is. */
export function runProgram(file: string, run: ProgramRun): Promise<string> {
  // few clients have a use for it: a start does not load it
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(file, run.args, {
    env: run.environment as NodeJS.ProcessEnv,
    stdio: [run.interactive ? 'inherit' : 'ignore', 'pipe', run.showsErrors ? 'inherit' : 'ignore'],
  });
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      child.kill('SIGKILL');
      reject(new ExecPluginError(`exec: ${run.command} ${what}`));
    };
    const timer = run.interactive ? undefined : run.clock.after(patienceMs, () => fail('did not end in time'));
    const output = collect(child, () => fail(`wrote more than ${maxOutputBytes} bytes`));
    child.on('error', ({ code }: NodeJS.ErrnoException) => fail(`could not be run: ${code}`));
    child.on('close', (code, signal) => {
      timer?.cancel();
      if (code === 0) resolve(Buffer.concat(output).toString());
      else fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
}

function collect({ stdout }: ChildProcess, tooMuch: () => void): readonly Buffer[] {
  const parts: Buffer[] = [];
  let length = 0;
  stdout?.on('data', (part: Buffer) => {
    length += part.length;
    if (length > maxOutputBytes) tooMuch();
    else parts.push(part);
  });
  return parts;
}
