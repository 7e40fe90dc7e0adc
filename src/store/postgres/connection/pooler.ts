import { HkctlError } from '../../../core/errors.ts';
import type { Location } from '../address/location.ts';
import { Session, type SessionOptions } from './session.ts';

/**
 * Opens a connection, and refuses a pooler (`store_unreadable`) that gives each transaction another connection to the server:
 * prepared statements would be missing there, and settings such as the schema would be those of another program.
 */
export async function openUnshared(location: Location, options: SessionOptions): Promise<Session> {
  const session = await Session.open(location, options);
  if (!session.isPooled) return session;
  let other: Session | undefined;
  try {
    other = await Session.open({ ...location, hosts: [session.host] }, { ...options, pipeline: false });
    await requireUnshared(session, other, location.shown);
    return session;
  } catch (thrown) {
    session.destroy('its connection to the server is shared');
    throw thrown;
  } finally {
    other?.destroy('it is needed no longer');
  }
}

/**
 * Compares the processes of the server that run the statements of two connections. A pooler gives the server's connection that was
 * used last, or all of them in turn: in both orders one of these statements runs in a process that it must not run in.
 */
async function requireUnshared(session: Session, other: Session, shown: string): Promise<void> {
  const own = await processOf(session);
  const foreign = await processOf(other);
  const isOwn = async () => (await processOf(session)) === own;
  const isForeign = async () => (await processOf(other)) === foreign;
  // With one connection to the server alone, the next statement would wait for the end of the transaction.
  if (own === foreign) throw isShared(shown);
  await other.run('begin');
  if (!(await isForeign()) || !(await isOwn())) throw isShared(shown);
  await other.run('commit');
  for (let n = 0; n < 3; n++) if (!(await isOwn())) throw isShared(shown);
}

function isShared(shown: string): HkctlError {
  return new HkctlError(
    'store_unreadable',
    `The pooler at ${shown} gives each transaction another connection; hkctl needs one of its own.`,
    { hint: 'Set pool_mode = session for hkctl in PgBouncer, or name the server itself; see hkctl-postgres(7).' },
  );
}

async function processOf(session: Session): Promise<number> {
  const { rows } = await session.send<{ pid: number }>('select pg_backend_pid() as pid');
  const [row] = rows;
  if (!row) throw new Error('the server returned no number of its process');
  return row.pid;
}
