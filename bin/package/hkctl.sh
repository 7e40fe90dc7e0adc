#!/bin/sh
# Runs hkctl with the Node.js of its package, wherever that was unpacked, also through links.
program=$0
case $program in
  */*) ;;
  *) program=./$program ;;
esac
while [ -h "$program" ]; do
  target=$(readlink "$program")
  case $target in
    /*) program=$target ;;
    *) program=$(CDPATH='' cd -P -- "${program%/*}" && pwd)/$target ;;
  esac
done
root=$(CDPATH='' cd -- "${program%/*}/.." && pwd)

# Node.js needs the C++ runtime. The package has one for systems without; their own fits their C library better.
has_runtime() {
  for folder in /usr/lib64 /usr/lib/*-linux-gnu /lib64 /lib/*-linux-gnu; do
    if [ -e "$folder/libstdc++.so.6" ]; then return 0; fi
  done
  return 1
}
if ! has_runtime; then
  export LD_LIBRARY_PATH="$root/libexec${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi

exec "$root/libexec/node" "$root/bin/hkctl.js" "$@"
