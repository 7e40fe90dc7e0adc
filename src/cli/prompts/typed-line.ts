import { cancelled } from '../terminal/interaction.ts';

import { isEnter, onKeypress } from '../terminal/keypress.ts';
import { widthOf } from '../terminal/wrap.ts';
import type { PromptPlace } from './asked.ts';
import { editedText } from './line-editor.ts';

interface TypedLine {
  message: string;
  preset?: string;
  /** Returns true, or a sentence about the fault of the text. */
  validate(text: string): true | string;
  isHidden?: boolean;
}

/**
 * Asks for a line on a terminal that cannot move its cursor (`TERM=dumb`), without an escape sequence: typed characters are
 * added, and removed ones are overwritten by blanks. The signal cancels it (exit 130).
 */
export function askTypedLine(
  { message, preset, validate, isHidden }: TypedLine,
  { input, output, signal, drawnBy }: PromptPlace,
): Promise<string> {
  const shownPreset = preset ? ` (${preset})` : '';
  const question = `? ${message}${shownPreset} `;
  let typedText = '';
  output.write(question);
  drawnBy({
    leave: () => void output.write('\n'),
    drawAgain: () => void output.write(question + (isHidden ? '' : typedText)),
  });
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
