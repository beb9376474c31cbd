// What `keelson completion` prints, in the shells themselves: keys are pressed and candidates asked for as a user would.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { describeWith, fish, programOf, zsh } from './peers.ts';
import { TempFolder } from './temp-folder.ts';

const keelson = join(import.meta.dirname, '../../bin/keelson.cjs');
const completionOf = (shell: string) => execFileSync(process.execPath, [keelson, 'completion', shell]);

/** Runs zsh at its own terminal, types each line there, and prints the words with which `keelson` was called. */
const typing = `zmodload zsh/zpty
zpty -b typed "TERM=dumb '$1' -f -i"
zpty -w typed "PROMPT=; autoload -Uz compinit; compinit -D -u; source ./completion; keelson() { print -r -- 'r''an:'\\"\\\${(j:|:)@}:\\" }; print re''ady"
zpty -r typed printed '*ready*'
for line in "\${@:2}"; do
  zpty -n -w typed "$line"$'\\n'
  zpty -r typed printed '*ran:*:*'
  print -r -- "\${\${printed##*ran:}%%:*}"
done
zpty -d typed
`;

describeWith(zsh, 'zsh', () => {
  test('completes commands, their words, their flags, and files after those', () => {
    using folder = new TempFolder();
    writeFileSync(join(folder.path, 'completion'), completionOf('zsh'));
    writeFileSync(join(folder.path, 'typing'), typing);
    writeFileSync(join(folder.path, 'deployment.yaml'), '');
    const lines = [
      'sn\t',
      'snapshot re\t',
      'certs rotate-ca sw\t',
      'serve --etcd-pre\t',
      '--secure\t',
      'convert -f depl\t',
    ];
    const args = ['-f', 'typing', programOf(zsh), ...lines.map((line) => `keelson ${line}`)];
    const printed = execFileSync(programOf(zsh), args, { cwd: folder.path, encoding: 'utf8', timeout: 60_000 });
    expect(printed.trim().split('\n')).toEqual([
      'snapshot',
      'snapshot|restore',
      'certs|rotate-ca|switch',
      'serve|--etcd-prefix',
      '--secure-port',
      'convert|-f|deployment.yaml',
    ]);
  });
});

/** Answers what a command asks at a terminal. */
const answering = `zmodload zsh/zpty
zpty -b asked "'$1' '$2' snapshot save '$3' --data-dir '$4'"
zpty -r asked question '*y/N*'
zpty -w asked "$5"
zpty -r asked outcome '*(as it is|sha256)*'
print -r -- "$question $outcome"
zpty -d asked
`;

describeWith(zsh, 'at a terminal', () => {
  test.each([
    ['n', 'is left as it is', true],
    ['no', 'is left as it is', true],
    ['y', 'objects', false],
  ])('snapshot save asks before it overwrites; the answer is "%s"', async (answer, told, isKept) => {
    using folder = new TempFolder();
    const dataDir = join(folder.path, 'data');
    const server = await createServer({ store: 'embedded', dataDir });
    await server.close();
    const file = folder.write('once.snapshot', 'precious');
    const args = ['-f', folder.write('answering', answering), process.execPath, keelson, file, dataDir, answer];
    const printed = execFileSync(programOf(zsh), args, { encoding: 'utf8', timeout: 60_000 });
    expect(printed).toContain(`${file} exists. Overwrite it? [y/N`);
    expect(printed).toContain(told);
    expect(readFileSync(file, 'utf8') === 'precious').toBe(isKept);
  });
});

describeWith(fish, 'fish', () => {
  test.each([
    ['sn', ['snapshot']],
    ['snapshot re', ['restore']],
    ['certs rotate-ca sw', ['switch']],
    ['serve --etcd-pre', ['--etcd-prefix']],
    ['--secure', ['--secure-port']],
    ['convert -f depl', ['deployment.yaml']],
  ])('offers after "keelson %s": %j', (typed, offered) => {
    using folder = new TempFolder();
    writeFileSync(join(folder.path, 'completion'), completionOf('fish'));
    writeFileSync(join(folder.path, 'deployment.yaml'), '');
    const script = `source ./completion; complete -C 'keelson ${typed}'`;
    const env = { ...process.env, HOME: folder.path };
    const printed = execFileSync(programOf(fish), ['--no-config', '-c', script], {
      cwd: folder.path,
      env,
      encoding: 'utf8',
    });
    expect(printed.trim().split('\n')).toEqual(offered);
  });
});
