import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Clipboard and browser of this machine. A file that is loaded when needed: V8's code cache, which the files of short commands
 * come from, loses the callback of a native `import()`.
 */

/** Puts a text on the clipboard; rejects if there is none. */
export async function copyText(text: string): Promise<void> {
  // Only `import()` loads an ES module on every supported Node without a warning.
  const { default: clipboard } = await import('clipboardy');
  await clipboard.write(text);
}

/** Opens an address with the desktop's opener; rejects if there is none. */
export async function openInBrowser(url: string): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.unref();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
