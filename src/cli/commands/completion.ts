// `keelson completion`: what a shell needs to complete commands, their words and their flags.

import { chooseWord, type Guide } from '../flags/command-line.ts';
import type { Flag } from '../flags/flag.ts';
import { UsageError } from '../usage-error.ts';

interface Completed {
  readonly name: string;
  readonly words: readonly string[];
  /** With their dashes. */
  readonly flags: readonly string[];
}

export const completionGuide: Guide = {
  usage: 'bash|zsh|fish',
  actions: {
    bash: 'Put into ~/.bashrc: source <(keelson completion bash)',
    zsh: 'Put into ~/.zshrc, after compinit: source <(keelson completion zsh)',
    fish: 'keelson completion fish > ~/.config/fish/completions/keelson.fish',
  },
  flags: {},
};

export const flagNames = (flags: readonly Flag[]): readonly string[] => flags.map(({ name }) => `--${name}`);

/** First words of actions, each once; those in brackets are for people. */
export function guideWords(guide: Guide | undefined): Omit<Completed, 'name'> {
  const words = Object.keys(guide?.actions ?? {}).flatMap((action) =>
    action.startsWith('(') ? [] : action.split(' '),
  );
  return { words: [...new Set(words)], flags: Object.values(guide?.flags ?? {}).map(({ name }) => `--${name}`) };
}

export function completionScript(args: readonly string[], commands: readonly Completed[]): string {
  const [shell = ''] = args;
  if (args.length > 1) throw new UsageError(`unexpected argument ${JSON.stringify(args[1])}`);
  return (scripts[chooseWord('completion', shell, Object.keys(scripts))] as Script)(commands);
}

type Script = (commands: readonly Completed[]) => string;

/** Lines of `case`, with the words in the form that the shell wants. */
function cases(commands: readonly Completed[], assign: (words: string) => string): string {
  const serve = commands.find(({ name }) => name === 'serve')?.flags ?? [];
  const line = (name: string, words: readonly string[]) => `    ${name}) ${assign(words.join(' '))};;\n`;
  const own = commands.map(({ name, words, flags }) => line(name, [...words, ...flags]));
  return `${own.join('')}${line('*', [...commands.map(({ name }) => name), ...serve])}`;
}

const scripts: Readonly<Record<string, Script>> = {
  bash: (commands) => `# completion of keelson for bash
_keelson() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  local command="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -eq 1 ] && command=''
  case "$command" in
${cases(commands, (words) => `words='${words}'`)}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "\${#COMPREPLY[@]}" -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _keelson keelson
`,
  zsh: (commands) => `#compdef keelson
# completion of keelson for zsh
_keelson() {
  local -a candidates
  local command="\${words[2]}"
  (( CURRENT == 2 )) && command=''
  case "$command" in
${cases(commands, (words) => `candidates=(${words})`)}  esac
  compadd -a candidates || _files
}
compdef _keelson keelson
`,
  fish: (commands) => {
    const first = '__fish_use_subcommand';
    const line = (condition: string, rest: string) => `complete -c keelson -n '${condition}' ${rest}\n`;
    const own = commands.flatMap(({ name, words, flags }) => {
      const condition =
        name === 'serve' ? `${first}; or __fish_seen_subcommand_from serve` : `__fish_seen_subcommand_from ${name}`;
      return [
        ...words.map((word) => line(condition, `-a ${word}`)),
        ...flags.map((flag) => line(condition, `-l ${flag.slice(2)}`)),
      ];
    });
    return `# completion of keelson for fish\n${commands.map(({ name }) => line(first, `-a ${name}`)).join('')}${own.join('')}`;
  },
};
