import { HkctlError } from '../core/errors.ts';
import { wordList } from '../core/text/words.ts';
import type { CommandDefinition } from './command/command.ts';
import { readFlags } from './command/flags.ts';
import { missingOf } from './questions/values.ts';
import { canAsk, type Io } from './terminal/io.ts';

/** A command line that ends before the arguments of its command; `run` reports what is missing, once it knows where it runs. */
export class IncompleteCommand extends Error {
  constructor(
    readonly definition: CommandDefinition,
    readonly given: Readonly<Record<string, unknown>>,
    readonly args: readonly string[],
  ) {
    super('arguments are missing');
  }

  /** The error (`usage`) that names every missing argument, and every missing flag if nothing can be asked. */
  errorFor(io: Io, json: boolean): HkctlError {
    const { definition, args } = this;
    const names = definition.arguments
      .filter(({ spelling }, i) => spelling.startsWith('<') && i >= args.length)
      .map(({ spelling }) => spelling.replace(/^<(\w+).*$/, '$1'));
    const flags = readFlags(definition.flags, this.given, io.env);
    const asking = flags.yes === true ? false : canAsk(io) && !json;
    const unasked = {
      ...definition.required?.(flags, args),
      ...(definition.confirms && { '--yes': flags.yes || undefined }),
    };
    const missing = [...names, ...(asking ? [] : missingOf(unasked))];
    return new HkctlError('usage', `${wordList(missing, 'and')} ${missing.length === 1 ? 'is' : 'are'} missing.`, {
      hint: 'Add --help to see its flags.',
    });
  }
}
