#!/bin/sh
# Rotates a key of hkctl once it is older than 90 days, and puts the new secret on another machine by ssh.
# Replace the four values below, or give them as arguments: rotate-remote.sh KEY HOST FILE RESTART
# Explained in hkctl-keys(1), section DELIVERY BY A COMMAND.
#
# Run it every hour, with cron or a timer, as the account of the store, whose ssh key the machine
# accepts. While the key is younger it does nothing. If the machine is away, the key stays as it is,
# the exit status is 1, and the next run tries again.
key=${1:-Gateway hall 3}
# Where ssh leads, and a path there without quotes.
host=${2:-gateway@gateway3.example.com}
file=${3:-/etc/gateway/key}
# What makes the client read the new secret; `true` if it reads the file for each request.
restart=${4:-sudo systemctl restart gateway}
export host file restart

# The commands in single quotes read the variables above from their environment. The secret goes to the
# standard input of ssh, never among arguments. The other machine keeps it only if it arrived whole: a
# connection that was cut leaves the old file. The rotation is committed after that, and never without.
exec hkctl keys rotate "$key" --if-older-than 90d --yes \
  --deliver 'ssh -o BatchMode=yes -o ConnectTimeout=10 "$host" "
    umask 077
    cat > '\''$file.new'\'' &&
    grep -Eqx '\''hk_[0-9A-Za-z]{49}'\'' '\''$file.new'\'' &&
    mv '\''$file.new'\'' '\''$file'\''"' \
  --exec 'ssh -o BatchMode=yes -o ConnectTimeout=10 "$host" "$restart"'
