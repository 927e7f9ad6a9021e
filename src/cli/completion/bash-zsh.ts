import type { CommandNode, Described, OptionNode } from './command-tree.ts';

/**
 * Bash and zsh share the part that reads the command line: it finds the command, the option whose value is being
 * typed (`pending`) and the position of the argument, and from these the candidates as `word:description`.
 * Everything is in the script, so that Tab does not have to start a process.
 */
export function bashScript(tree: readonly CommandNode[]): string {
  return `# bash completion for presetd, written by "presetd completion bash"
_presetd() {
  local word at='presetd' pending='' position=0 files='' current="\${COMP_WORDS[COMP_CWORD]}"
  local -a before candidates=()
  before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  # Bash makes three words of --option=value.
  [ "$current" = '=' ] && current=''
${walk(tree)}
  if [ -n "$files" ]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  COMPREPLY=()
  for word in "\${candidates[@]}"; do
    word="\${word%%:*}"
    case "$word" in "$current"*) COMPREPLY+=("$word") ;; esac
  done
}
complete -F _presetd presetd
`;
}

export function zshScript(tree: readonly CommandNode[]): string {
  return `#compdef presetd
# zsh completion for presetd, written by "presetd completion zsh"
_presetd() {
  local word at='presetd' pending='' position=0 files='' current="\${words[CURRENT]}"
  local -a before candidates
  before=("\${(@)words[2,CURRENT-1]}")
  case "$current" in
  --*=*)
    before+=("\${current%%=*}")
    compset -P '*='
    current=''
    ;;
  esac
${walk(tree)}
  if [ -n "$files" ]; then
    _files
  else
    _describe 'presetd' candidates
  fi
}
# Sourced, the function is registered; in a folder of $fpath, it is called.
if [ "$funcstack[1]" = '_presetd' ]; then
  _presetd "$@"
else
  compdef _presetd presetd
fi
`;
}

function walk(tree: readonly CommandNode[]): string {
  const commands = tree.slice(1).map(({ path }) => path);
  const valued = tree.flatMap(({ path, options }) =>
    options.flatMap(({ flags, values }) =>
      values === undefined ? [] : flags.map((flag) => `${path} ${flag}`),
    ),
  );
  return `
  for word in "\${before[@]}"; do
    [ "$word" = '=' ] && continue
    if [ -n "$pending" ]; then
      pending=''
      continue
    fi
    case "$at $word" in
    ${patterns(commands)}) at="$at $word" ;;
    ${patterns(valued)}) pending="$at $word" ;;
    *' -'*) ;;
    *) position=$((position + 1)) ;;
    esac
  done

  if [ -n "$pending" ]; then
    case "$pending" in
${tree.flatMap(pendingCases).join('\n')}
    esac
  elif [ "\${current#-}" != "$current" ]; then
    case "$at" in
${tree.map(optionCase).join('\n')}
    esac
  else
    case "$at:$position" in
${tree.flatMap(argumentCases).join('\n')}
    esac
  fi
`;
}

function pendingCases({ path, options }: CommandNode): readonly string[] {
  return options.flatMap(({ flags, values }) =>
    values === undefined || values === 'any'
      ? []
      : [`    ${patterns(flags.map((flag) => `${path} ${flag}`))}) ${offer(values)} ;;`],
  );
}

function optionCase({ path, options }: CommandNode): string {
  return `    ${quote(path)}) candidates=(${options.flatMap(candidatesOf).map(quote).join(' ')}) ;;`;
}

function argumentCases(node: CommandNode): readonly string[] {
  const { path, subcommands } = node;
  if (subcommands.length > 0)
    return [`    ${quote(`${path}:0`)}) candidates=(${subcommands.map(candidate).map(quote).join(' ')}) ;;`];
  return node.arguments.flatMap((values, position) =>
    values === 'any' ? [] : [`    ${quote(`${path}:${position}`)}) ${offer(values)} ;;`],
  );
}

function offer(values: readonly string[] | 'files'): string {
  return values === 'files' ? 'files=1' : `candidates=(${values.map(quote).join(' ')})`;
}

function candidatesOf({ flags, description }: OptionNode): readonly string[] {
  return flags.map((name) => candidate({ name, description }));
}

function candidate({ name, description }: Described): string {
  return `${name}:${description}`;
}

function patterns(words: readonly string[]): string {
  return words.map(quote).join(' | ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
