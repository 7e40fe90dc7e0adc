#!/bin/sh
# Store readings on disk and forward them. Standard input: one reading as a JSON object a line.
api=${API_URL:-http://127.0.0.1:8420}
api=${api%/}
key_file=${KEY_FILE:-/etc/gateway/key}
spool=${SPOOL:-/var/spool/gateway}
most_batches=${MOST_BATCHES:-20000}
first_wait=${FIRST_WAIT:-1}
umask 077
if [ $# -gt 0 ] || ! mkdir -p "$spool" || [ ! -w "$spool" ]; then
  echo 'usage: API_URL=URL KEY_FILE=FILE SPOOL=FOLDER gateway.sh < READINGS' >&2
  exit 2
fi
# The folder changes below.
case $key_file in /*) ;; *) key_file=$PWD/$key_file ;; esac
cd "$spool" || exit 2
rmdir lock 2>/dev/null
rm -f ended *.batch.*

# mkdir succeeds for one process at a time.
lock() { until mkdir lock 2>/dev/null; do sleep 0.01; done; }
unlock() { rmdir lock; }

# Turn what was stored so far into a batch, and drop the oldest but one if there are too many.
close_batch() {
  lock
  if [ -s open ]; then
    last=$(ls | sed -n 's/^0*\([0-9][0-9]*\)\.batch$/\1/p' | tail -n 1)
    mv open "$(printf '%012d' $((${last:-0} + 1))).batch"
    if [ "$(ls | grep -c '\.batch$')" -gt "$most_batches" ]; then
      full=$(ls | grep '\.batch$' | sed -n 2p)
      echo "the spool is full: $full is dropped" >&2
      rm -f "$full"
    fi
  fi
  unlock
}

# Send a file until there is an answer, with the key in a file and not among the arguments.
send() {
  wait=$first_wait
  while :; do
    printf 'header = "Authorization: Bearer %s"\n' "$(cat "$key_file")" > curl.conf
    status=$(curl -sS -K curl.conf -m 60 -D head -o answer -w '%{http_code}' \
      -H 'Content-Type: application/x-ndjson' --data-binary "@$1" "$api/api/v1/sensors/readings")
    # A status counts for nothing if the answer was cut.
    [ $? -eq 0 ] || status=000
    case $status in
      200) { cat answer; echo; } | tr '{' '\n' | sed -n 's/^"index":\([0-9]*\),.*/\1/p' |
             while read -r index; do sed -n "$((index + 1))p" "$1" >> rejected; done
           return ;;
      400 | 413 | 422) return 1 ;;
    esac
    after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' head 2>/dev/null)
    echo "not sent ($status), again in ${after:-$wait} s" >&2
    sleep "${after:-$wait}"
    # If the script was killed, its successor sends.
    kill -0 $$ 2>/dev/null || exit 1
    wait=$((wait * 2))
    [ "$wait" -le 60 ] || wait=60
  done
}

# A batch that is refused as a whole is halved, to find the reading at fault.
deliver() {
  send "$1" && return
  count=$(wc -l < "$1")
  if [ "$count" -le 1 ]; then
    cat "$1" >> rejected
    return
  fi
  head -n $((count / 2)) "$1" > "$1.a"
  tail -n +$((count / 2 + 1)) "$1" > "$1.b"
  deliver "$1.a"
  deliver "$1.b"
  rm -f "$1.a" "$1.b"
}

forward() {
  while :; do
    last=no
    [ -e ended ] && last=yes
    close_batch
    batch=$(ls | grep '\.batch$' | head -n 1)
    if [ -n "$batch" ]; then
      deliver "$batch"
      rm -f "$batch"
    elif [ $last = yes ]; then
      return
    else
      sleep 1
      kill -0 $$ 2>/dev/null || exit 1
    fi
  done
}

# A power failure may have left a torn line at the end.
if [ -s open ] && [ -n "$(tail -c 1 open)" ]; then sed '$d' open > whole; mv whole open; fi

forward &
count=0
# The last line may have no line break.
while IFS= read -r line || [ -n "$line" ]; do
  [ -n "$line" ] || continue
  lock
  printf '%s\n' "$line" >> open
  unlock
  count=$((count + 1))
  [ $((count % 1000)) -ne 0 ] || close_batch
done
: > ended
wait
