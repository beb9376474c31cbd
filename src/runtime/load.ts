// Loads the bundle for the command, with the code that V8 compiled in an earlier process, and for threads. Only the command
// sets a V8 flag and writes files next to the bundle, which a library must not do: threads take the code that they find.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Script } from 'node:vm';
import { isPlainRuntime } from './plain-runtime.ts';

interface Module {
  exports: object;
}

type Wrapper = (exports: object, require: (name: string) => unknown, module: Module, file: string) => void;

const modules = new Map<string, Module>();
/** What had to be compiled here: nothing was left for it, or by another version of V8. */
const compiled = new Map<string, Script>();

/** The exports of a CommonJS file of the bundle. */
export function load(file: string): object {
  const require = createRequire(file);
  // only Node's own loader registers source maps for stack traces
  if (isPlainRuntime || process.sourceMapsEnabled) return require(file) as object;
  let module = modules.get(file);
  if (module === undefined) {
    module = { exports: {} };
    modules.set(file, module);
    const run = compile(file).runInThisContext() as Wrapper;
    run(
      module.exports,
      (name) => (name.startsWith('.') ? load(resolve(dirname(file), name)) : require(name)),
      module,
      file,
    );
  }
  return module.exports;
}

/** V8 refuses code of another version, of other flags, or of a source of another length; another text has another name. */
function compile(file: string): Script {
  const script = new Script(sourceOf(file), { filename: file, cachedData: read(cacheOf(file)) });
  if (script.cachedDataRejected !== false) compiled.set(file, script);
  return script;
}

const head = Buffer.from('(function (exports, require, module, __filename) {');
const tail = Buffer.from('\n})');

/**
 * The build escapes other characters than ASCII. Put together as bytes: a large string made of bytes stays outside of V8's heap,
 * where putting strings together would copy two megabytes into it and have it look for garbage in the middle of a start.
 */
function sourceOf(file: string): string {
  const text = openSync(file, 'r');
  const { size } = fstatSync(text);
  const source = Buffer.allocUnsafeSlow(head.length + size + tail.length);
  head.copy(source);
  readSync(text, source, head.length, size, 0);
  closeSync(text);
  tail.copy(source, head.length + size);
  return source.toString('latin1');
}

/** A process that started no server would leave less than a start needs. */
const started = 'keelson.started';
subscribe(started, function onStarted() {
  unsubscribe(started, onStarted);
  if (compiled.size === 0) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  // V8 drops what has not run for a while, and a start does not run twice
  setFlagsFromString('--no-flush-bytecode');
  process.once('exit', () => {
    // code is good only under the flags that a start has
    setFlagsFromString('--flush-bytecode');
    keepCompiled();
  });
});

/** Stores the compiled code for later processes, with the functions that were used. */
function keepCompiled(): void {
  for (const [file, script] of compiled) {
    const partial = `${cacheOf(file)}.${process.pid}`;
    try {
      // on disk before it has its name: V8 takes bytes of the right length at their word
      writeFileSync(partial, script.createCachedData(), { flush: true });
      renameSync(partial, cacheOf(file));
      compiled.delete(file);
    } catch {
      // not ours to write: later starts compile as well
      rmSync(partial, { force: true });
      return;
    }
  }
}

const cacheOf = (file: string) => `${file}.cache`;

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
