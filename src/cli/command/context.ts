import type { Command } from 'commander';
import { canAsk, type Io } from '../terminal/io.ts';
import type { FlagValues, globalFlags } from './flags.ts';
import { createPrinter, type Printer } from './printer.ts';
import type { Services } from './services.ts';
import { createStoreAccess, type StoreAccess } from './store-access.ts';

/** The services of every command; a function below a command takes the part that it uses, such as {@link Printer}. */
export interface Context extends Printer, StoreAccess {
  readonly io: Io;
  readonly services: Services;
  /** Every question is answered with yes (`--yes`), even on a terminal. */
  readonly asksNothing: boolean;
  /** Whether questions can be asked: there is a terminal for them, and neither --yes nor --json was given. */
  readonly canAsk: boolean;
  /** Lists show times in full and in UTC, as `--utc` asks for. */
  readonly utc: boolean;
  /** Loads the program with the command that the words name. */
  program(words: readonly string[]): Promise<Command>;
}

/** `naming` adds the store to the commands of a hint, if the line named it. */
export function createContext(
  io: Io,
  services: Services,
  globals: FlagValues<typeof globalFlags> & {
    fields?: readonly string[] | undefined;
    yes: boolean;
    /** Whether the command changes nothing. */
    isReadOnly: boolean;
  },
  program: Context['program'],
  naming: (hint: string) => string,
): Context {
  const { useStyle, ...printer } = createPrinter(io, globals, naming);
  const { usePath, ...storeAccess } = createStoreAccess(io, services, globals, printer);

  return {
    ...printer,
    ...storeAccess,
    io,
    services,
    program,
    utc: globals.utc,
    asksNothing: globals.yes,
    get canAsk() {
      return canAsk(io) && !globals.yes && !globals.json;
    },
    // Each is found at its first use.
    get style() {
      return useStyle();
    },
    get storePath() {
      return usePath();
    },
  };
}
