import { errnoOf } from '../../errno.ts';
import { HkctlError } from '../../errors.ts';
import { pathFaults } from '../../files.ts';
import { shellWord } from '../../text/quoting.ts';

const outputHint = 'Standard output works: leave out the flag, and redirect it to a new file.';

const hintsByErrno: Readonly<Record<string, string>> = {
  EACCES: outputHint,
  EPERM: `Its folder may be immutable or append-only: lsattr -d shows that, chattr -i -a clears it. ${outputHint}`,
  EROFS: 'Mount its folder so that it can be written, or give another path.',
  EBUSY: 'Mount its folder, not the file: a file that is mounted cannot be replaced.',
};

/**
 * The error for a file that cannot take a secret: `bad_input` because of its path, `state_forbids` if it exists, `output_failed`
 * for a fault of the disk. An error of our own is returned unchanged.
 */
export function unusable(
  path: string,
  thrown: unknown,
  consequence = ' Nothing was changed.',
): unknown {
  const errno = errnoOf(thrown);
  if (errno === undefined) return thrown;
  if (errno === 'EEXIST') return taken(path);

  const pathFault = pathFaults[errno];
  if (pathFault) {
    const hint = hintsByErrno[errno];
    return new HkctlError('bad_input', `${path} cannot be used: ${pathFault}.`, {
      ...(hint !== undefined && { hint }),
      cause: thrown,
    });
  }

  const reason = errno === 'ENOSPC' ? 'the disk is full' : errno;
  return new HkctlError('output_failed', `${path} could not be written: ${reason}.${consequence}`, {
    cause: thrown,
  });
}

/** The refusal of a file that exists and must not be overwritten; only a plain file can hold a secret to test. */
export function taken(path: string, entry?: { isFile(): boolean }): HkctlError {
  const verifyAdvice = entry?.isFile()
    ? ` To test the secret in it: hkctl keys verify < ${shellWord(path)}`
    : '';
  return new HkctlError('state_forbids', `${path} exists already, and is not overwritten.`, {
    hint: `Give another path, or move the file away.${verifyAdvice}`,
  });
}
