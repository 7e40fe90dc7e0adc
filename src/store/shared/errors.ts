import { type ErrorCode, HkctlError } from '../../core/errors.ts';
import { stopCommand } from '../../core/operations/settings.ts';

/** `store_absent` (exit 6). */
export function storeAbsent(place: string, hint = 'Make it with: hkctl init'): HkctlError {
  return new HkctlError('store_absent', `There is no store at ${place}.`, { hint });
}

/** `already_initialised` (exit 5); `example` shows how to name another place. */
export function alreadyThere(place: string, example: string): HkctlError {
  return new HkctlError(
    'already_initialised',
    `There is a store at ${place} already; nothing was touched.`,
    {
      hint: `Name another place with --store${example}, or look at this one with: hkctl entities list`,
    },
  );
}

/** `state_forbids` (exit 5): a daemon serves the store that is to be replaced. */
export function servedAt(address: string | undefined | null, hint: string): HkctlError {
  const atAddress = address ? ` at ${address}` : '';
  return new HkctlError(
    'state_forbids',
    `A daemon serves this store${atAddress}; nothing was changed.`,
    { hint },
  );
}

/** `store_too_old` (exit 6); `daemons` says which have to be stopped. */
export function storeTooOld(
  place: string,
  version: number,
  daemons: 'the daemon' | 'the daemons',
): HkctlError {
  return new HkctlError(
    'store_too_old',
    `The store ${place} is of an older version (schema ${version}).`,
    {
      hint: `Stop ${daemons} (under systemd: ${stopCommand}) and run: hkctl migrate`,
    },
  );
}

/** `store_too_old` (exit 6) for a store from before the last schema of 0.1.0, which no release has made. */
export function storeUnreleased(place: string, version: number): HkctlError {
  return new HkctlError(
    'store_too_old',
    `${place} has schema ${version}, which this version of hkctl no longer reads.`,
    {
      hint: 'Migrate or restore it with hkctl 0.1.0, write a backup there, and restore that backup.',
    },
  );
}

/** `store_too_new` (exit 6). */
export function storeTooNew(place: string, version: number): HkctlError {
  return new HkctlError(
    'store_too_new',
    `The store ${place} was made by a newer hkctl (schema ${version}).`,
    {
      hint: 'Use that version of hkctl, or a newer one.',
    },
  );
}

/** The answer to a commit never arrived, or the disk failed meanwhile: `commit_unknown` (exit 6). */
export function outcomeUnknown(why: string, cause: unknown): HkctlError {
  return new HkctlError('commit_unknown', `Whether the change was made is unknown: ${why}.`, {
    hint: 'Once the store answers again, give the same command again, or look at what is there.',
    cause,
  });
}

/** The meaning of an engine's errors for a person: their codes, each with its place, such as a constraint; one sentence and a hint. */
export type Meaning = readonly [codes: RegExp, as: ErrorCode, message: string, hint: string];

interface Fault {
  code: string;
  place: string;
}

/** The error for a fault: the first meaning that fits, one that names the place before others; `{store}` is `shown`. */
export function errorOfFault(
  meanings: readonly Meaning[],
  fault: Fault,
  shown: string,
  cause: unknown,
): HkctlError | undefined {
  const codeAndPlace = `${fault.code} ${fault.place}`.trim();
  const meaning =
    meanings.find(([codes]) => codes.test(codeAndPlace)) ??
    meanings.find(([codes]) => codes.test(fault.code));
  if (meaning === undefined) return undefined;

  const [, code, message, hint] = meaning;
  const placeholders: Readonly<Record<string, string>> = { store: shown, ...fault };
  const fillIn = (template: string) =>
    template.replace(
      /\{(store|code|place)\}/g,
      (_, placeholder: string) => placeholders[placeholder] ?? '',
    );
  return new HkctlError(code, fillIn(message), { hint: fillIn(hint), cause });
}
