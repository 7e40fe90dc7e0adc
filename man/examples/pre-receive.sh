#!/bin/sh
# Revokes each key of hkctl whose secret is pushed to a git server, and refuses the push.
# Replace the command below if the store belongs to another account or is on another machine.
# Explained in hkctl-keys(1), section SECRETS IN GIT.
#
# Copy it to hooks/pre-receive of the bare repository and make it executable.
command='hkctl'
umask 077
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Standard input has a line for each branch or tag: old object, new object, name. A deleted one has zeros.
while read -r _ new _; do
  case $new in *[!0]*) echo "$new" ;; esac
done > "$work/heads"
[ -s "$work/heads" ] || exit 0

# Commits, tags, folders and files that no branch or tag has yet.
git rev-list --objects --stdin --not --all < "$work/heads" > "$work/listed" || exit 1
cut -d ' ' -f 1 "$work/listed" > "$work/objects"

{ git cat-file --batch --buffer < "$work/objects" || : > "$work/failed"; } |
  $command keys scan - --revoke --yes --quiet >&2
status=$?
[ ! -e "$work/failed" ] || status=1

case $status in
  0) exit 0 ;;
  5) echo "The push is refused: it contains the secrets above, whose keys are revoked now." >&2
     echo "Find one by its first letters, and remove it: git log --all -S hk_abcde" >&2 ;;
  *) echo "The push is refused: hkctl cannot search it for secrets." >&2 ;;
esac
exit 1
