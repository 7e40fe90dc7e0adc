import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markdownPage, summaryOf } from '../../docs/markdown-pages.ts';
import { manFolder, pageFiles } from '../../docs/mdoc.ts';
import { outputOf } from '../../run-program.ts';
import { needPrograms } from '../machine/needs.ts';

needPrograms('mandoc');

/** The pages as Markdown. `npm run golden` writes them. */
const folder = join(manFolder, 'markdown');
const files = pageFiles();
const htmlOf = (file: string) =>
  outputOf('mandoc', ['-T', 'html', '-O', 'fragment,man=%N.%S.md', join(manFolder, file)]);

function index(): string {
  const lines = files.map((file) => {
    const { title, summary } = summaryOf(htmlOf(file));
    return `- [${title}](${file}.md): ${summary}`;
  });
  return `# Manual pages\n\nMade of the pages in [man/](..), which \`man\` shows where hkctl is installed.\n\n${lines.join('\n')}\n`;
}

const made = new Map([['README.md', index()]]);
for (const file of files)
  made.set(
    `${file}.md`,
    markdownPage(htmlOf(file), (other) => files.includes(other.slice(0, -3))),
  );

if (process.env.UPDATE_GOLDEN) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of made) writeFileSync(join(folder, name), text);
}

it('every link leads to a page or heading that is there', () => {
  for (const [name, text] of made) {
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const isThere = target.startsWith('#')
        ? headings.includes(target.slice(1))
        : existsSync(join(folder, target));
      expect(isThere, `${name}: ${target}`).toBe(true);
    }
  }
});

it('every manual page is there as Markdown, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual([...made.keys()].sort());
});

it.each([...made])('man/markdown/%s is what its page gives', (name, text) => {
  expect(text, 'npm run golden writes it anew').toBe(readFileSync(join(folder, name), 'utf8'));
});
