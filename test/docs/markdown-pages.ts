/** An element of the HTML that mandoc makes of a page, or a text. */
type Node = string | Element;

interface Element {
  tag: string;
  class: string;
  href: string | undefined;
  children: Node[];
}

/**
 * A manual page as Markdown, from what `mandoc -T html -O fragment,man=%N.%S.md` makes of it. mandoc's own Markdown has neither links
 * nor tables, and backslashes in code. `isOurs` decides which pages of those that it refers to are next to it.
 */
export function markdownPage(html: string, isOurs: (file: string) => boolean): string {
  const root = parse(html);
  const [title] = texts(root, 'head-ltitle');
  const [date] = texts(root, 'foot-date');
  const [summary] = texts(root, 'Nd');
  if (!title || !date || !summary) throw new Error('The page has no title, date or summary.');
  const sections = elements(root, 'manual-text').flatMap(({ children }) =>
    children.filter(isSection),
  );
  const [, ...rest] = sections;
  const body = rest.flatMap((section) => blocks(section.children, isOurs));
  const sentence = escaped(summary.replace(/^\w/, (first) => first.toUpperCase()));
  const head = [`# ${title.toLowerCase()}`, `${sentence}.`, `[All pages](README.md) · ${date}`];
  return `${[...head, ...body].join('\n\n')}\n`;
}

/** The name of a page and the line below it: `hkctl-keys` and `create, list, …`. */
export function summaryOf(html: string): { title: string; summary: string } {
  const root = parse(html);
  return {
    title: texts(root, 'head-ltitle')[0]?.toLowerCase() ?? '',
    summary: texts(root, 'Nd')[0] ?? '',
  };
}

function isSection(node: Node): node is Element {
  return typeof node !== 'string' && node.tag === 'section';
}

/** Reads mandoc's HTML, whose elements are all closed. */
function parse(html: string): Element {
  const root: Element = { tag: '', class: '', href: undefined, children: [] };
  const open = [root];
  for (const [token, slash, tag, attributes = ''] of html.matchAll(
    /<(\/?)([a-z]\w*)([^>]*)>|[^<]+/g,
  )) {
    const parent = open.at(-1);
    if (!parent) throw new Error(`${token} closes nothing.`);
    if (tag === undefined) parent.children.push(decoded(token));
    else if (slash === '/') open.pop();
    else {
      const attribute = (name: string) =>
        decoded(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
      const element = {
        tag,
        class: attribute('class'),
        href: attribute('href') || undefined,
        children: [],
      };
      parent.children.push(element);
      if (!attributes.endsWith('/')) open.push(element);
    }
  }
  if (open.length !== 1) throw new Error(`${open.at(-1)?.tag} is not closed.`);
  return root;
}

function decoded(text: string): string {
  const named: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>' };
  return text.replace(
    /&(?:#x([0-9A-F]+)|(\w+));/gi,
    (all, code: string | undefined, name: string) =>
      code === undefined ? (named[name] ?? all) : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/** All elements of a class, outer ones before inner ones. */
function elements(from: Element, name: string): Element[] {
  return from.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return [...(child.class.split(' ').includes(name) ? [child] : []), ...elements(child, name)];
  });
}

function texts(from: Element, name: string): string[] {
  return elements(from, name).map((element) => spaced(textOf(element)));
}

function textOf(node: Node): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** Text in which `<>` enclose what stands for a value. */
function plain(node: Node): string {
  if (typeof node === 'string') return node;
  const text = node.children.map(plain).join('');
  return node.tag === 'var' ? text.replace(/[^\s.]+/g, '<$&>') : text;
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

type IsOurs = (file: string) => boolean;

/** The blocks of Markdown of what stands between two tags: paragraphs, lists, code. */
function blocks(nodes: readonly Node[], isOurs: IsOurs): string[] {
  const found: string[] = [];
  let paragraph: Node[] = [];
  const endParagraph = () => {
    const text = line(paragraph, isOurs);
    if (text !== '') found.push(text);
    paragraph = [];
  };
  for (const node of nodes) {
    const made = typeof node === 'string' ? undefined : block(node, isOurs);
    if (made === undefined) paragraph.push(node);
    else {
      endParagraph();
      found.push(...made.filter((one) => one !== ''));
    }
  }
  endParagraph();
  return joined(found);
}

/** Makes one block of code of several that follow each other: the commands of a synopsis, and lines of examples. */
function joined(found: readonly string[]): string[] {
  const all: string[] = [];
  for (const one of found) {
    const before = all.at(-1);
    if (before?.endsWith('\n```') && one.startsWith('```'))
      all[all.length - 1] = before.slice(0, -3) + one.slice(4);
    else all.push(one);
  }
  return all;
}

/** An element that is a block of its own, as blocks; undefined for one within a line. */
function block(element: Element, isOurs: IsOurs): string[] | undefined {
  const { tag, children } = element;
  if (element.class === 'Nm' && tag === 'table') return [fenced(wrapped(spaced(plain(element))))];
  // Lines of examples, one each.
  if (element.class === 'Bd Bd-indent') return [fenced(spaced(textOf(element)))];
  switch (tag) {
    case 'section':
    case 'div':
      return blocks(children, isOurs);
    case 'br':
      return [];
    case 'h1':
    case 'h2':
      return [`${tag === 'h1' ? '##' : '###'} ${escaped(spaced(textOf(element)))}`];
    case 'p':
      return [line(children, isOurs)];
    case 'pre':
      return [fenced(textOf(element).replace(/^\n|\n$/g, ''))];
    case 'table':
      return [table(element, isOurs)];
    case 'ul':
    case 'ol':
      return [list(tagged(element, 'li').map((item) => blocks(item.children, isOurs)))];
    case 'dl':
      return [list(terms(element, isOurs))];
    default:
      return undefined;
  }
}

function tagged(from: Element, ...tags: string[]): Element[] {
  return from.children.filter(
    (child): child is Element => typeof child !== 'string' && tags.includes(child.tag),
  );
}

/** The items of a list of terms, each with its term in front. */
function terms(element: Element, isOurs: IsOurs): string[][] {
  const items: string[][] = [];
  let term = '';
  for (const { tag, children } of tagged(element, 'dt', 'dd')) {
    if (tag === 'dt') term = line(children, isOurs);
    else {
      const [first = '', ...rest] = blocks(children, isOurs);
      const isText = first !== '' && !/^(- |```|\|)/.test(first);
      items.push(
        isText
          ? [`${term} — ${first}`, ...rest]
          : [term, first, ...rest].filter((one) => one !== ''),
      );
    }
  }
  return items;
}

function list(items: readonly string[][]): string {
  const isLoose = items.some((item) => item.length > 1);
  const shown = items.map((item) => `- ${item.join('\n\n').replace(/\n(?=.)/g, '\n  ')}`);
  return shown.join(isLoose ? '\n\n' : '\n');
}

function table(element: Element, isOurs: IsOurs): string {
  const rows = tagged(element, 'tr').map((row) =>
    tagged(row, 'td').map(({ children }) => line(children, isOurs).replaceAll('|', '\\|')),
  );
  const [head = [], ...rest] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`, ...rest].join('\n');
}

function fenced(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}

/** A command with its flags, in lines of up to 100 columns; a flag is not broken from its value. */
function wrapped(command: string): string {
  const parts = command.match(/\[[^\]]*\]|--\S+ <\S+|\S+/g) ?? [];
  const lines = [''];
  for (const part of parts) {
    const last = lines.at(-1) ?? '';
    if (last.length + part.length < 100)
      lines[lines.length - 1] = last === '' ? part : `${last} ${part}`;
    else lines.push(`    ${part}`);
  }
  return lines.join('\n');
}

/** What stands in one line, as Markdown. */
function line(nodes: readonly Node[], isOurs: IsOurs): string {
  const text = spaced(nodes.map((node) => inline(node, isOurs)).join(''));
  // Marks of quotation around code are only needed where it does not look different.
  return text.replace(/‘(`+[^`]+`+)’/g, '$1').replace(/^([-+#>]|\d+\.)(?= )/, '\\$1');
}

function inline(node: Node, isOurs: IsOurs): string {
  if (typeof node === 'string') return escaped(node);
  const { tag, children, href } = node;
  const within = children.map((child) => inline(child, isOurs)).join('');
  const text = textOf(node);
  switch (node.class.split(' ')[0]) {
    case 'Xr':
      return href !== undefined && isOurs(href) ? `[${text}](${href})` : text;
    case 'Sx':
      return `[${spaced(text)}](#${anchor(text)})`;
    case 'Pa':
      return code(text);
  }
  if (tag === 'code') return code(text);
  if (tag === 'var' || tag === 'i') return `*${within}*`;
  if (tag === 'b') return `**${within}**`;
  return within;
}

/** The anchor that hosts of Git give a heading. */
function anchor(heading: string): string {
  return spaced(heading)
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

function code(text: string): string {
  const shown = spaced(text);
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

/** Text in which no character has a meaning in Markdown; an underscore within a word has none. */
function escaped(text: string): string {
  return text.replace(/[\\*`]|\](?=\()|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)|&(?=#?\w+;)/g, '\\$&');
}
