import { cancelled } from '../terminal/interaction.ts';
import type { Input } from '../terminal/io.ts';
import { isEnter, onKeypress } from '../terminal/keypress.ts';
import { widthOf } from '../terminal/wrap.ts';
import { editedText } from './line-editor.ts';

interface TypedLine {
  message: string;
  preset?: string;
  /** Returns true, or what is wrong with the text. */
  validate(text: string): true | string;
  isHidden?: boolean;
}

/**
 * Asks for a line on a terminal that cannot move its cursor (`TERM=dumb`), without an escape sequence: what is typed is added, and
 * what is removed is overwritten by blanks. The signal cancels it (exit 130).
 */
export function askTypedLine(
  { message, preset, validate, isHidden }: TypedLine,
  { input, output, signal }: { input: Input; output: NodeJS.WritableStream; signal: AbortSignal },
): Promise<string> {
  const question = `? ${message}${preset ? ` (${preset})` : ''} `;
  let text = '';
  output.write(question);
  input.setRawMode?.(true);
  return new Promise<string>((resolve, reject) => {
    const onEnd = () => {
      output.write('\n');
      reject(cancelled());
    };
    const stopKeys = onKeypress(input, (key) => {
      if (signal.aborted) return;
      if (!isEnter(key)) {
        const before = text;
        text = editedText(text, key);
        if (isHidden) return;
        const removed = before.startsWith(text) ? before.slice(text.length) : '';
        output.write(removed ? '\b \b'.repeat(widthOf(removed)) : text.slice(before.length));
        return;
      }
      const value = text.trim() || (preset ?? '');
      const result = validate(value);
      output.write('\n');
      if (result === true) {
        stopKeys();
        signal.removeEventListener('abort', onEnd);
        resolve(value);
      } else {
        text = '';
        output.write(`> ${result}\n${question}`);
      }
    });
    signal.addEventListener('abort', onEnd);
    input.resume();
  }).finally(() => input.setRawMode?.(false));
}
