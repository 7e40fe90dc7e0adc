#compdef hkctl
# completion of hkctl for zsh
_hkctl() {
  local line value
  local -a found items
  found=("${(@f)$(HKCTL_JSON=0 "${words[1]}" completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == ':files' ]]; then
    compset -P '--[a-z-]#='
    _files
    return
  fi
  for line in $found; do
    # _describe takes a backslash and a colon for its own.
    value=${${${line%%$'\t'*}//\\/\\\\}//:/\\:}
    # Without a description, _describe shows none.
    [[ $line == *$'\t'* ]] && value+=":${line#*$'\t'}"
    items+=("$value")
  done
  (( $#items )) && _describe -V 'hkctl' items
}
if [ "$funcstack[1]" = "_hkctl" ]; then _hkctl; else compdef _hkctl hkctl; fi
