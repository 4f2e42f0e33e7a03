import { Argument, type Command } from 'commander';
import { command } from '../options.js';
import { print } from '../output.js';

const HELP = `
Examples:
  source <(suppressions completion bash)
  suppressions completion zsh > "\${fpath[1]}/_suppressions"
`;

/** @param programOf - the program whose commands and options are completed */
export function completionCommand(programOf: () => Command): Command {
  return command('completion', 'Print a completion script for a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .addHelpText('after', HELP)
    .action((shell: string) => print(shell === 'bash' ? bash(programOf()) : zsh(programOf())));
}

function bash(program: Command): string {
  return `_suppressions() {
  local words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${namesOf(program)}"
  else
    case "\${COMP_WORDS[1]}" in
${casesOf(program, (words) => `words="${words}"`)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _suppressions suppressions`;
}

function zsh(program: Command): string {
  return `#compdef suppressions
_suppressions() {
  if (( CURRENT == 2 )); then
    compadd -- ${namesOf(program)}
    return
  fi
  case "\${words[2]}" in
${casesOf(program, (words) => `[[ "\${words[CURRENT]}" == -* ]] && compadd -- ${words}`)}
  esac
  _files
}
if [ "$funcstack[1]" = "_suppressions" ]; then _suppressions "$@"; else compdef _suppressions suppressions; fi`;
}

function namesOf(program: Command): string {
  return program.commands.map((subcommand) => subcommand.name()).join(' ');
}

function casesOf(program: Command, write: (words: string) => string): string {
  return program.commands
    .map((subcommand) => {
      const options = subcommand.options.flatMap(({ long }) => long ?? []);
      return `      ${subcommand.name()}) ${write([...options, '--help'].join(' '))} ;;`;
    })
    .join('\n');
}
