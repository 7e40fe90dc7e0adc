# completion of hkctl for fish
function __hkctl_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc)
  set -l found (HKCTL_JSON=0 $words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
  if test "$found[1]" = ':files'
    set -l flag (string match -r -- '^--[a-z-]+=' $current)
    for path in (__fish_complete_path (string replace -r -- '^--[a-z-]+=' '' $current))
      printf '%s%s\n' "$flag" $path
    end
  else
    printf '%s\n' $found
  end
end
complete -c hkctl -f -a '(__hkctl_complete)'
