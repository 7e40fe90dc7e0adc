import { spawn } from 'node:child_process';

/**
 * Ends a server and removes folders once the process `owner` is gone, however that ended: tests that are killed leave nothing
 * running. The server is the one whose number is in the folder of its data. Ends by itself once the first folder is gone.
 */
export function guardServer(
  owner: number,
  [data, ...folders]: readonly [string, ...string[]],
): void {
  const guard = spawn('sh', ['-c', script, 'guard', String(owner), data, ...folders], {
    stdio: 'ignore',
    detached: true,
    cwd: '/',
  });
  guard.unref();
}

// PostgreSQL that was frozen by a test must continue to notice that it shall end.
const script = `
owner=$1 data=$2
shift
while kill -0 "$owner" 2>/dev/null; do
  [ -d "$data" ] || exit 0
  sleep 1
done
server=$(head -n 1 "$data/postmaster.pid" 2>/dev/null)
if [ -n "$server" ]; then
  kill -CONT "$server" $(grep -ls "^PPid:.$server$" /proc/[0-9]*/status | cut -d / -f 3) 2>/dev/null
  kill -QUIT "$server" 2>/dev/null
  for attempt in 1 2 3; do
    kill -0 "$server" 2>/dev/null || break
    sleep 1
  done
  kill -9 "$server" 2>/dev/null
fi
rm -rf "$@"`;
