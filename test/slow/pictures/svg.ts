/** Width and height of a character cell. */
const cell = { width: 8.4, height: 18 };
const margin = 16;
/** The baseline of the first line, below the buttons of the window. */
const firstLine = 53;

const esc = '\u001b';
const colouring = new RegExp(`(${esc}\\[[\\d;]*m)`);
/** By the code of a basic colour, or by the number of one of the 256: the class that colours it. */
const basic: Record<number, string> = { 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };
const palette: Record<number, string> = { 31: 'blue', 64: 'olive', 166: 'orange' };
/** The colours on dark and on light, as the reader's browser prefers. The last three of the 256 are readable on both. */
const style = `rect{fill:#0d1117;stroke:#30363d}g{fill:#c9d1d9}.dim{fill:#8b949e}.red{fill:#ff7b72}.green{fill:#3fb950}.yellow{fill:#d29922}.cyan{fill:#39c5cf}.blue{fill:#0087af}.olive{fill:#5f8700}.orange{fill:#d75f00}
@media(prefers-color-scheme:light){rect{fill:#fff;stroke:#d0d7de}g{fill:#1f2328}.dim{fill:#59636e}.red{fill:#cf222e}.green{fill:#1a7f37}.yellow{fill:#9a6700}.cyan{fill:#1b7c83}}`;

/** How a piece of text is painted. */
interface Paint {
  bold: boolean;
  dim: boolean;
  colour: string | undefined;
}

/** Converts a captured screen, with its colours as escape sequences (ECMA-48, SGR), to the picture of a terminal window. */
export function terminalSvg(
  painted: string,
  { columns, label }: { columns: number; label: string },
): string {
  const lines = painted.split('\n');
  const width = 2 * margin + columns * cell.width;
  const height = firstLine + lines.length * cell.height + 3;
  let paint: Paint = { bold: false, dim: false, colour: undefined };
  const texts = lines.flatMap((line, row) => {
    const found: string[] = [];
    let column = 0;
    for (const part of line.split(colouring)) {
      if (part.startsWith(esc)) paint = painting(paint, part.slice(2, -1).split(';').map(Number));
      else {
        // Blanks are left out, so that each text stands exactly in its column whatever font a browser takes.
        for (const match of part.matchAll(/\S+(?: \S+)*/g))
          found.push(textElement(match[0], column + match.index, row, paint));
        column += part.length;
      }
    }
    return found;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
    `<style>${style}</style>`,
    '<rect x=".5" y=".5" width="99.8%" height="99.8%" rx="8"/><circle cx="20" cy="18" r="5" fill="#ff5f57"/><circle cx="38" cy="18" r="5" fill="#febc2e"/><circle cx="56" cy="18" r="5" fill="#28c840"/>',
    '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14" xml:space="preserve">',
    ...texts,
    '</g></svg>',
  ].join('\n')}\n`;
}

function painting(before: Paint, codes: readonly number[]): Paint {
  if (codes[0] === 38) return { ...before, colour: palette[codes[2] ?? 0] };
  let paint = before;
  for (const code of codes) {
    if (code === 0) paint = { bold: false, dim: false, colour: undefined };
    else if (code === 1) paint = { ...paint, bold: true };
    else if (code === 2) paint = { ...paint, dim: true };
    else if (code === 22) paint = { ...paint, bold: false, dim: false };
    else if (code === 39) paint = { ...paint, colour: undefined };
    else if (basic[code]) paint = { ...paint, colour: basic[code] };
  }
  return paint;
}

function textElement(
  text: string,
  column: number,
  row: number,
  { bold, dim, colour }: Paint,
): string {
  const attributes = [
    `x="${(margin + column * cell.width).toFixed(1)}"`,
    `y="${firstLine + row * cell.height}"`,
    `textLength="${([...text].length * cell.width).toFixed(1)}"`,
    ...(colour ? [`class="${colour}"`] : dim ? ['class="dim"'] : []),
    ...(bold ? ['font-weight="700"'] : []),
  ];
  return `<text ${attributes.join(' ')}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
