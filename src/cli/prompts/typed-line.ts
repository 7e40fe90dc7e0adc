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
  let typedText = '';
  output.write(question);
  input.setRawMode?.(true);
  return new Promise<string>((resolve, reject) => {
    const cancel = () => {
      output.write('\n');
      reject(cancelled());
    };
    const stopKeys = onKeypress(input, (key) => {
      if (signal.aborted) return;
      if (!isEnter(key)) {
        const previousText = typedText;
        typedText = editedText(typedText, key);
        if (isHidden) return;
        const removedText = previousText.startsWith(typedText)
          ? previousText.slice(typedText.length)
          : '';
        output.write(
          removedText ? '\b \b'.repeat(widthOf(removedText)) : typedText.slice(previousText.length),
        );
        return;
      }
      const answer = typedText.trim() || (preset ?? '');
      const verdict = validate(answer);
      output.write('\n');
      if (verdict === true) {
        stopKeys();
        signal.removeEventListener('abort', cancel);
        resolve(answer);
      } else {
        typedText = '';
        output.write(`> ${verdict}\n${question}`);
      }
    });
    signal.addEventListener('abort', cancel);
    input.resume();
  }).finally(() => input.setRawMode?.(false));
}
