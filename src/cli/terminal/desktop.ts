import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Clipboard and browser of this machine. A file that is loaded when needed. */

/** Reads the text from standard input, so that it is in no process list. */
const clipboardScript = `
import(process.argv[1]).then(({ default: clipboard }) =>
  clipboard.write(require('node:fs').readFileSync(0, 'utf8')),
);`;

/**
 * Puts a text on the clipboard; rejects if there is none, or once `signal` is aborted. A process group of its own does the
 * work, and can be ended with a clipboard program that hangs, such as xsel without a display.
 */
export async function copyText(text: string, signal: AbortSignal): Promise<void> {
  const clipboardPath = createRequire(__filename).resolve('clipboardy');
  const clipboardUrl = pathToFileURL(clipboardPath).href;
  const child = spawn(process.execPath, ['-e', clipboardScript, clipboardUrl], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const endGroup = () => {
    if (child.pid !== undefined) endProcessGroup(child.pid);
  };
  signal.addEventListener('abort', endGroup, { once: true });
  process.once('exit', endGroup);

  try {
    // A child that ended early reads nothing; its exit code says so.
    child.stdin.on('error', () => {}).end(text);
    const [exitCode] = await once(child, 'exit', { signal });
    if (exitCode !== 0) throw new Error(`the clipboard program ended with ${exitCode}`);
  } finally {
    signal.removeEventListener('abort', endGroup);
    process.off('exit', endGroup);
  }
}

/** Ends a child and its children; on success the program that holds the clipboard has left the group or goes on. */
function endProcessGroup(processId: number): void {
  try {
    process.kill(-processId, 'SIGKILL');
  } catch (thrown) {
    const hasEnded = thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH';
    if (!hasEnded) throw thrown;
  }
}

/** Opens an address with the desktop's opener; rejects if there is none. */
export async function openInBrowser(url: string): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], {
    stdio: 'ignore',
    detached: true,
  });
  child.unref();
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}`);
}
