/**
 * PURE: the scripts that make shells complete. All words in them are ours; sessions are asked for at the
 * moment, and no shell ever evaluates what it is told then.
 */

import type { CommandShape } from './completion-shape.ts';

export interface CompletionParts {
  readonly commands: readonly CommandShape[];
  readonly preferenceKeys: readonly string[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const GLOBAL = ['--help', '--version'];
/** Quiet, and nothing of the terminal is its. */
const ASK = 'sandy-tray completion --sessions 2>/dev/null </dev/null';

export function writeCompletion(shell: Shell, parts: CompletionParts): string {
  switch (shell) {
    case 'bash':
      return writeBash(parts);
    case 'zsh':
      return writeZsh(parts);
    case 'fish':
      return writeFish(parts);
  }
}

/** For bash 3.2 too, the one of macOS. Never `compgen -W`, which evaluates its words. */
function writeBash({ commands, preferenceKeys }: CompletionParts): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map((command) => {
    const { name, flags, firstWords, wordsOfFlag, beforePreference } = command;
    const words = [...flags.map((flag) => flag.name), '--help'].join(' ');
    return [
      `      ${name})`,
      `        words='${words}'`,
      ...(firstWords.length > 0
        ? [`        [[ $count -eq 0 ]] && words+=' ${firstWords.join(' ')}'`]
        : []),
      ...wordsOfFlag.map(
        (of) =>
          `        [[ $count$flags == 0*' ${of.flag} '* ]] && words+=' ${of.words.join(' ')}'`,
      ),
      ...beforePreference.map(
        (word) =>
          `        [[ $count:$first == 1:${word} ]] && words+=' ${preferenceKeys.join(' ')}'`,
      ),
      ...writeSessionTest(command),
      '        ;;',
    ].join('\n');
  });
  return `# Completion of sandy-tray for bash.
_sandy_tray() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words='' sessions='' first='' skip='' flags='' count=0 word i
  local IFS=$' \\t\\n'
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; i++)); do
${writeCounting(commands, 'COMP_WORDS')}
  [[ -n $skip ]] && return 0
  if [[ $COMP_CWORD -eq 1 ]]; then
    words='${[...names, ...GLOBAL].join(' ')}'
  else
    case \${COMP_WORDS[1]} in
${cases.join('\n')}
    esac
  fi
  for word in $words; do
    [[ $word == -* && $cur != -* ]] && continue
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
  [[ -n $sessions && $cur != -* ]] || return 0
  while IFS= read -r word; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done < <(${ASK})
  return 0
}
complete -F _sandy_tray sandy-tray
`;
}

/** The rest of the loop over the words before the one that is typed; bash and zsh read it alike. */
function writeCounting(commands: CompletionParts['commands'], list: string): string {
  return `    word=\${${list}[i]}
    if [[ -n $skip ]]; then
      skip=''
      continue
    fi
    case $word in
${writeCountCases(commands, '      ')}
    esac
  done`;
}

function writeZsh({ commands, preferenceKeys }: CompletionParts): string {
  const cases = commands.map((command) => {
    const { name, flags, firstWords, wordsOfFlag, beforePreference } = command;
    const described = [...flags, { name: '--help', summary: '' }].map(describeForZsh);
    return [
      `    ${name})`,
      `      options=(${described.join(' ')})`,
      ...(firstWords.length > 0
        ? [`      [[ $count -eq 0 ]] && offers+=(${firstWords.join(' ')})`]
        : []),
      ...wordsOfFlag.map(
        (of) => `      [[ $count$flags == 0*' ${of.flag} '* ]] && offers+=(${of.words.join(' ')})`,
      ),
      ...beforePreference.map(
        (word) => `      [[ $count:$first == 1:${word} ]] && offers+=(${preferenceKeys.join(' ')})`,
      ),
      ...writeSessionTest(command).map((line) => line.slice(2)),
      '      ;;',
    ].join('\n');
  });
  const names = commands.map(describeForZsh);
  return `#compdef sandy-tray
# Completion of sandy-tray for zsh.
_sandy_tray() {
  local -a options offers
  local first='' skip='' sessions='' flags='' word
  integer count=0 i
  for ((i = 3; i < CURRENT; i++)); do
${writeCounting(commands, 'words')}
  [[ -n $skip ]] && return 1
  if ((CURRENT == 2)); then
    offers=(
${names.map((name) => `      ${name}`).join('\n')}
    )
    options=(${GLOBAL.join(' ')})
    if [[ $PREFIX == -* ]]; then _describe -o option options; else _describe command offers; fi
    return
  fi
  case \${words[2]} in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
    return
  fi
  [[ -n $sessions ]] && offers+=(\${(f)"$(${ASK})"})
  compadd -a offers
}
if [[ \${funcstack[1]} == _sandy_tray ]]; then
  _sandy_tray "$@"
elif (($+functions[compdef])); then
  compdef _sandy_tray sandy-tray
fi
`;
}

function writeFish({ commands, preferenceKeys }: CompletionParts): string {
  const lines = commands.flatMap(({ name, summary, flags, ...command }) => {
    const at = (more = '') => `complete -c sandy-tray -n '__sandy_tray_at ${name}${more}'`;
    const place = command.sessions === 'one' ? ' 0' : '';
    return [
      `complete -c sandy-tray -n __fish_use_subcommand -a ${name} -d ${quoteForFish(summary)}`,
      ...flags.map(
        (flag) =>
          `${at()} -l ${flag.name.slice(2)}${flag.takesValue ? ' -x' : ''} -d ${quoteForFish(flag.summary)}`,
      ),
      ...(command.firstWords.length > 0
        ? [`${at(' 0')} -a '${command.firstWords.join(' ')}'`]
        : []),
      ...command.wordsOfFlag.map(
        ({ flag, words }) =>
          `${at(` 0; and contains -- ${flag} (commandline -opc)`)} -a '${words.join(' ')}'`,
      ),
      ...command.beforePreference.map(
        (word) => `${at(` 1 ${word}`)} -a '${preferenceKeys.join(' ')}'`,
      ),
      ...(command.sessions === 'none' ? [] : [`${at(place)} -a '(${ASK})' -d session`]),
    ];
  });
  return `# Completion of sandy-tray for fish.
# Whether the command is the first argument; with a second one, whether so many words follow it; with a
# third one, whether that is the first of them.
function __sandy_tray_at
    set -l tokens (commandline -opc)
    set -e tokens[1]
    test (count $tokens) -gt 0; or return 1
    test "$tokens[1]" = $argv[1]; or return 1
    set -e tokens[1]
    set -l words
    set -l skip 0
    for token in $tokens
        if test $skip = 1
            set skip 0
            continue
        end
        switch $token
${listValueFlags(commands)
  .map((flag) => `            case ${flag}\n                set skip 1`)
  .join('\n')}
            case '-*'
            case '*'
                set -a words $token
        end
    end
    test (count $argv) -lt 2; or test (count $words) = $argv[2]; or return 1
    test (count $argv) -lt 3; or test "$words[1]" = $argv[3]
end
complete -c sandy-tray -e
complete -c sandy-tray -f
complete -c sandy-tray -l help -d 'say more'
complete -c sandy-tray -n __fish_use_subcommand -l version -d 'print the version'
${lines.join('\n')}
`;
}

/** Counts the words that are no options; the value of an option is none of them. */
function writeCountCases(commands: readonly CommandShape[], indent: string): string {
  return [
    ...listValueFlags(commands).map((flag) => `${flag}) skip=1 ;;`),
    '-*) flags+=" $word " ;;',
    '*)',
    '  count=$((count + 1))',
    '  [[ $count -eq 1 ]] && first=$word',
    '  ;;',
  ]
    .map((line) => indent + line)
    .join('\n');
}

function writeSessionTest({ sessions }: CommandShape): string[] {
  switch (sessions) {
    case 'none':
      return [];
    case 'one':
      return ['        [[ $count -eq 0 ]] && sessions=1'];
    case 'many':
      return ['        sessions=1'];
  }
}

function listValueFlags(commands: readonly CommandShape[]): string[] {
  const flags = commands.flatMap((command) => command.flags.filter((flag) => flag.takesValue));
  return [...new Set(flags.map(({ name }) => name))];
}

function describeForZsh({ name, summary }: { name: string; summary: string }): string {
  return `'${[name, summary]
    .filter((text) => text !== '')
    .join(':')
    .replaceAll("'", "'\\''")}'`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
