import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';

/** The domain's error for a driver whose binary is missing or does not load; any other thrown value is returned unchanged. */
export function toDriverError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const code = errnoOf(thrown);
  if (code === 'MODULE_NOT_FOUND') return missingDriver(thrown);
  if (code === 'ERR_DLOPEN_FAILED') return unloadableDriver(thrown);
  return thrown;
}

const reinstallHint =
  'Install the package of hkctl for this system and processor, or run npm ci with this Node.';

/** The binary is missing if hkctl was installed or packed for another processor, or with a newer Node. */
function missingDriver(cause: Error): HkctlError {
  const { version, platform, arch } = process;
  const [majorVersion] = process.versions.node.split('.');
  const isOlderNode = Number(majorVersion) < 22;
  return new HkctlError(
    'store_unreadable',
    `This hkctl was installed without a driver for Node ${version} on ${platform}-${arch}.`,
    {
      hint: isOlderNode
        ? 'Use Node 22.14 or newer, or install it anew with this Node: npm ci, or a package that was made with Node 20.'
        : reinstallHint,
      cause,
    },
  );
}

/** The dynamic loader names a version that is missing as `GLIBC_2.34` or `GLIBCXX_3.4.29`. */
function unloadableDriver(cause: Error): HkctlError {
  const [, missingVersion = ''] = /version `([^']+)' not found/.exec(cause.message) ?? [];
  const [reason = ''] = cause.message.split('\n', 1);

  if (/^GLIBC_/.test(missingVersion)) return tooOld('C library', missingVersion, cause);
  if (/^(GLIBCXX|CXXABI)_/.test(missingVersion))
    return tooOld('C++ library', missingVersion, cause);
  return new HkctlError('store_unreadable', `The SQLite driver cannot be loaded: ${reason}`, {
    hint: reinstallHint,
    cause,
  });
}

function tooOld(library: string, missingVersion: string, cause: Error): HkctlError {
  return new HkctlError(
    'store_unreadable',
    `The ${library} of this system is too old for the SQLite driver: ${missingVersion} is missing.`,
    {
      hint: 'Use a system with glibc 2.34 and libstdc++ 11 or newer, such as Debian 12, Ubuntu 22.04 or RHEL 9.',
      cause,
    },
  );
}
