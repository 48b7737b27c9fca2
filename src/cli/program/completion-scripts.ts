export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The line that asks the shell to complete the names of files. No candidate begins with a colon. */
export const FILES = ':files';

/**
 * The names come from a server, so that any text may be among them. No script evaluates a candidate or a word of the
 * line: bash quotes with `printf %q`, zsh and fish quote what they insert.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for guildbook. In ~/.bashrc: source <(guildbook completion bash)
_guildbook() {
  local rest="\${COMP_LINE:0:COMP_POINT}" words=() word trimmed line value quoted i
  # bash splits words also at ":" and "=". Join what has no space between.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    trimmed="\${rest#"\${rest%%[![:space:]]*}"}"
    if ((i == COMP_CWORD)); then word="$trimmed"; fi
    if ((i > 1)) && [[ "$trimmed" == "$rest" ]]; then
      words[\${#words[@]}-1]+="$word"
    elif ((i > 0)); then
      words+=("$word")
    fi
    rest="\${trimmed#"$word"}"
  done
  local current="\${words[\${#words[@]}-1]}"
  local joined="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == "${FILES}" ]]; then
      type compopt &>/dev/null && compopt -o default -o bashdefault
      return
    fi
    value="\${line%%$'\\t'*}"
    printf -v quoted '%q' "$value"
    COMPREPLY+=("\${quoted#"$joined"}")
  done < <(command guildbook complete bash -- "\${words[@]}" 2>/dev/null)
}
complete -F _guildbook guildbook
`,
  zsh: `#compdef guildbook
# zsh completion for guildbook. In ~/.zshrc after compinit: source <(guildbook completion zsh)
_guildbook() {
  local line
  local -a values shown
  for line in "\${(@f)$(command guildbook complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n "$line" ]] || continue
    if [[ "$line" == "${FILES}" ]]; then
      _files
      return
    fi
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done
  (( \${#values} )) && compadd -l -d shown -a values
}
if [[ "\${funcstack[1]}" == _guildbook ]]; then
  _guildbook "$@"
else
  compdef _guildbook guildbook
fi
`,
  fish: `# fish completion for guildbook. Save it as ~/.config/fish/completions/guildbook.fish
function __guildbook_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (command guildbook complete fish -- $words "$current" 2>/dev/null)
    if test "$lines" = "${FILES}"
        __fish_complete_path "$current"
    else if test (count $lines) -gt 0
        printf '%s\\n' $lines
    end
end
complete -c guildbook -f -a '(__guildbook_complete)'
`,
};
