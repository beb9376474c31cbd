// What containers do with commands and connections where no function of an embedder does: a small echo.

import type { SimulatedCommand, SimulatedConnection } from './sessions.ts';

const usualError = 'command not found in a simulated container';

type Program = (command: SimulatedCommand) => number | Promise<number>;

async function copyInput({ stdin, stdout }: SimulatedCommand): Promise<number> {
  for await (const chunk of stdin) stdout(chunk);
  return 0;
}

const programs: Readonly<Record<string, Program>> = {
  cat: copyInput,
  sh: copyInput,
  bash: copyInput,
  true: () => 0,
  false: () => 1,
  echo({ command, stdout }) {
    stdout(`${command.slice(1).join(' ')}\n`);
    return 0;
  },
  hostname({ pod, stdout }) {
    stdout(`${pod}\n`);
    return 0;
  },
};

/** `echo` prints, `cat` and shells send back what they get, anything else is not there. */
export async function echoCommand(session: SimulatedCommand): Promise<number> {
  const { command, stderr } = session;
  const path = command[0] ?? 'cat';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program !== undefined) return program(session);
  stderr(`${path}: ${usualError}\n`);
  return 127;
}

/** An answer to HTTP requests; the bytes themselves for all others. */
export async function echoConnection({ pod, port, input, write }: SimulatedConnection): Promise<void> {
  for await (const chunk of input) {
    if (!/^[A-Z]{3,7} \S+ HTTP\/1\.[01]\r\n/.test(Buffer.from(chunk).toString('latin1'))) {
      write(chunk);
      continue;
    }
    const body = `pod ${pod}, port ${port}\n`;
    const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    write(`${head}connection: close\r\n\r\n${body}`);
    return;
  }
}
