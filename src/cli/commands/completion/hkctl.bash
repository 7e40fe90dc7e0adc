# completion of hkctl for bash
_hkctl() {
  local line path
  local -a found
  COMPREPLY=()
  mapfile -t found < <(HKCTL_JSON=0 "${COMP_WORDS[0]}" completion bash --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  if [[ ${found[0]} == ':files'* ]]; then
    compopt -o filenames 2>/dev/null
    path=${found[0]#*$'\t'}
    mapfile -t COMPREPLY < <(compgen -f -- "${path/#'~/'/"$HOME/"}")
    return
  fi
  for line in "${found[@]}"; do
    # Several candidates are listed with their descriptions; a single one is inserted without it.
    if [[ ${#found[@]} -gt 1 && $line == *$'\t'* && $COMP_TYPE -ne 37 && $COMP_TYPE -ne 42 ]]; then
      COMPREPLY+=("${line%%$'\t'*}  (${line#*$'\t'})")
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done
}
complete -F _hkctl hkctl
