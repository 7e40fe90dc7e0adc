/**
 * The completion scripts. Each calls `hkctl completion SHELL -- WORD...` with the words of the line, and shows the answer:
 * one candidate a line with its description behind a tab, or `:files` where a file is asked for.
 */
export const completionScripts = {
  bash: `# completion of hkctl for bash
_hkctl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line
  local -a found
  COMPREPLY=()
  mapfile -t found < <(HKCTL_JSON=0 "\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${found[0]} == ':files' ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
  fi
  for line in "\${found[@]}"; do
    # Several candidates are listed with their descriptions; a single one is inserted without it.
    if [[ \${#found[@]} -gt 1 && $line == *$'\\t'* && $COMP_TYPE -ne 37 && $COMP_TYPE -ne 42 ]]; then
      COMPREPLY+=("\${line%%$'\\t'*}  (\${line#*$'\\t'})")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done
}
complete -F _hkctl hkctl`,
  zsh: `#compdef hkctl
# completion of hkctl for zsh
_hkctl() {
  local line
  local -a found items
  found=("\${(@f)$(HKCTL_JSON=0 "\${words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == ':files' ]]; then
    _files
    return
  fi
  for line in $found; do
    items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( $#items )) && _describe -V 'hkctl' items
}
if [ "$funcstack[1]" = "_hkctl" ]; then _hkctl; else compdef _hkctl hkctl; fi`,
  fish: `# completion of hkctl for fish
function __hkctl_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc)
  set -l found (HKCTL_JSON=0 $words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
  if test "$found[1]" = ':files'
    __fish_complete_path "$current"
  else
    printf '%s\\n' $found
  end
end
complete -c hkctl -f -a '(__hkctl_complete)'`,
} as const;

/** A shell that has a completion script. */
export type Shell = keyof typeof completionScripts;
