import { isTyped, type Keypress } from '../terminal/keypress.ts';

/** A line that is being typed: its characters, and how many of them stand before the cursor. */
export interface EditedLine {
  characters: readonly string[];
  at: number;
}

/** A line with the cursor at its end. Characters are code points, so that none is ever cut in two. */
export function toEditedLine(text: string): EditedLine {
  const characters = [...text];
  return { characters, at: characters.length };
}

/** The line after a key, as in a shell: arrows, Home, End, Backspace, Delete, Ctrl-A, E, U, K and W, else typed text. */
export function edited(line: EditedLine, key: Keypress): EditedLine {
  const { characters, at } = line;
  const beforeCursor = characters.slice(0, at);
  const afterCursor = characters.slice(at);
  const joinedLine = (head: readonly string[], tail: readonly string[]) => ({
    characters: [...head, ...tail],
    at: head.length,
  });
  const withCursorAt = (index: number) => ({ characters, at: index });

  const keyName = key.ctrl ? `ctrl-${key.name}` : key.name;
  switch (keyName) {
    case 'left':
      return withCursorAt(Math.max(0, at - 1));
    case 'right':
      return withCursorAt(Math.min(characters.length, at + 1));
    case 'home':
    case 'ctrl-a':
      return withCursorAt(0);
    case 'end':
    case 'ctrl-e':
      return withCursorAt(characters.length);
    case 'backspace':
    case 'ctrl-h':
      return joinedLine(beforeCursor.slice(0, -1), afterCursor);
    case 'delete':
      return joinedLine(beforeCursor, afterCursor.slice(1));
    case 'ctrl-u':
      return joinedLine([], afterCursor);
    case 'ctrl-k':
      return joinedLine(beforeCursor, []);
    case 'ctrl-w': {
      const withoutLastWord = beforeCursor.join('').replace(/\S+\s*$/u, '');
      return joinedLine([...withoutLastWord], afterCursor);
    }
    default:
      return isTyped(key)
        ? joinedLine([...beforeCursor, ...key.text], afterCursor)
        : { characters, at };
  }
}

/** A text after a key, with the cursor at its end. */
export function editedText(text: string, key: Keypress): string {
  const { characters } = edited(toEditedLine(text), key);
  return characters.join('');
}
