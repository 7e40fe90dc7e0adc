import { type Actor, findActor, requireUnchanged } from '../../core/domain/actors.ts';
import { domainSeenBy } from '../../core/domain/confinement.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { steadyClocks, storeClock } from '../../core/domain/steady-clock.ts';
import { HkctlError } from '../../core/errors.ts';
import { stopText } from '../../core/operations/stops.ts';
import type { Stop } from '../../core/port/stops.ts';
import type { Store } from '../../core/port/store.ts';
import type { Io } from '../terminal/io.ts';
import type { Printer } from './printer.ts';
import type { Services } from './services.ts';

/** The profile that acts, and the domain as it sees it. A command that declares `needs` receives one. */
export interface StoreSession {
  domain: Domain;
  actor: Actor;
}

/** The store of a command and its actor, found at the first call. */
export interface StoreAccess {
  /** The path on the command line or in the environment, else the default; the first use of the system's store prints it. */
  readonly storePath: string;
  /** The login that acts: `--as`, else the account of the operating system. */
  readonly login: string;
  /** Opens the store at the first call. `warns` prints a warning about everything that was stopped again; a daemon logs it. */
  domain(how?: { warns: boolean }): Promise<Domain>;
  /** The domain on a store that was opened elsewhere. */
  domainOf(store: Store): Domain;
  /** The profile that acts in a store that was opened elsewhere. */
  actorIn(domain: Domain): Promise<Actor>;
  /** Opens the store and finds the actor, for `runCommand` alone. Throws `no_profile` or `profile_inactive` (exit 4). */
  session(): Promise<StoreSession>;
  /** Refuses a profile that was stopped or changed since {@link session} found it, after a question; see `requireUnchanged`. */
  requireUnchangedActor(): Promise<void>;
  close(): Promise<void>;
}

/** The flags that decide which store is opened, as whom, and for what. */
interface StoreFlags {
  store?: string | undefined;
  as?: string | undefined;
  quiet: boolean;
  isReadOnly: boolean;
}

export function createStoreAccess(
  io: Io,
  services: Pick<Services, 'engine'>,
  flags: StoreFlags,
  { announce, warn }: Pick<Printer, 'announce' | 'warn'>,
): Omit<StoreAccess, 'storePath'> & { usePath(): string } {
  const login = flags.as ?? io.osAccount;
  const isAmbiguous = io.isSystemStore || io.otherStorePath !== undefined;
  let isNamed = flags.store !== undefined || !isAmbiguous;
  let domainPromise: Promise<Domain> | undefined;
  let actorPromise: Promise<Actor> | undefined;
  let sessionPromise: Promise<StoreSession> | undefined;

  const usePath = () => {
    const storePath = flags.store ?? io.defaultStorePath ?? noStoreNamed();
    // Also with --json, since this store was not named on the command line.
    const other = io.otherStorePath;
    const otherText = other === undefined ? '' : ` (not ${other}, which --store names)`;
    if (!isNamed && !flags.quiet) announce('info', `Store: ${storePath}${otherText}`);
    isNamed = true;
    return storePath;
  };

  const domainOf = (store: Store): Domain => {
    const clock = storeClock(store, io.clock);
    const steady = () => ({
      ms: clock(),
      latestMs: clock(),
      isSteady: false,
    });
    return {
      store,
      clock,
      steady,
      random: io.random,
      newId: io.newId,
    };
  };

  const openDomain = async (): Promise<Domain> => {
    const engine = await services.engine(usePath());
    const store = await engine.open();
    try {
      const bareDomain = domainOf(store);
      const { isReadOnly } = flags;
      const clocks = await steadyClocks(store, bareDomain.clock, io.uptime, { isReadOnly });
      return { ...bareDomain, ...clocks };
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
  };

  const domain = ({ warns } = { warns: true }) => {
    domainPromise ??= openDomain().then((openedDomain) => {
      if (warns) warn(...stopWarnings(openedDomain.store.stoppedAgain ?? []));
      return openedDomain;
    });
    return domainPromise;
  };

  const actorIn = (domain: Domain) => findActor(domain, login, io.osAccount);
  const findSession = async () => {
    const openedDomain = await domain();
    actorPromise ??= actorIn(openedDomain);
    const actor = await actorPromise;
    const seenDomain = domainSeenBy(openedDomain, actor.user);
    return { domain: seenDomain, actor };
  };

  return {
    login,
    usePath,
    domain,
    domainOf,
    actorIn,
    session() {
      sessionPromise ??= findSession();
      return sessionPromise;
    },
    async requireUnchangedActor() {
      if (domainPromise && actorPromise)
        await requireUnchanged(await domainPromise, await actorPromise);
    },
    async close() {
      const closingDomain = domainPromise;
      domainPromise = undefined;

      // An open that failed was reported already, and left nothing to close.
      const domainToClose = await closingDomain?.catch(() => undefined);
      await domainToClose?.store.close();
    },
  };
}

function stopWarnings(stoppedAgain: readonly Stop[]): string[] {
  if (stoppedAgain.length === 0) return [];

  return [
    `warning: The revocation journal names what this store did not have as stopped, as in a copy without its -wal file. Stopped again: ${stoppedAgain.map(stopText).join(', ')}.`,
  ];
}

function noStoreNamed(): never {
  throw new HkctlError('usage', 'This account has no home folder for a store.', {
    hint: 'Name the store: --store PATH, or HKCTL_STORE.',
  });
}
