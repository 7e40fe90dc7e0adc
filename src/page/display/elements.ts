/**
 * Builds elements of the page. A text becomes a text node, never markup: names and values of
 * records come from other systems and count as hostile.
 */

type Child = Node | string | number | null | undefined | false;

type Properties<Tag extends keyof HTMLElementTagNameMap> = {
  [Name in keyof HTMLElementTagNameMap[Tag] as HTMLElementTagNameMap[Tag][Name] extends
    | string
    | number
    | boolean
    | null
    | ((event: never) => unknown)
    ? Name
    : never]?: HTMLElementTagNameMap[Tag][Name];
};

interface Extras {
  /** Attributes that have no property, such as `aria-label` and `role`. */
  attributes?: Readonly<Record<string, string>>;
  /** Listeners by the name of their event. */
  on?: Readonly<Record<string, (event: Event) => void>>;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Makes an element with properties, attributes, listeners and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties<Tag> & Extras = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const { attributes = {}, on = {}, ...plainProperties } = properties;
  const node = document.createElement(tag);
  Object.assign(node, plainProperties);

  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  for (const [name, listener] of Object.entries(on)) {
    node.addEventListener(name, listener);
  }

  append(node, children);
  return node;
}

/** Makes an SVG element with attributes and children. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Node[]
): SVGElementTagNameMap[Tag] {
  const node = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Replaces everything inside an element. */
export function replaceContent(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(typeof child === 'number' ? String(child) : child);
  }
}

/**
 * Remembers which control of a container has the focus. The result gives the focus to the same control of the new
 * content, else to the heading, so that a keyboard goes on from there.
 */
export function rememberFocus(container: Element): () => void {
  const focusedControl = document.activeElement;
  if (focusedControl === null || !container.contains(focusedControl)) {
    return () => {};
  }

  const label = labelOf(focusedControl);
  return () => {
    const controls = container.querySelectorAll<HTMLElement>(
      'a, button, input, select, [tabindex]',
    );
    const sameControl = [...controls].find((control) => labelOf(control) === label);
    const heading = container.querySelector('h1');
    if (heading) heading.tabIndex = -1;
    (sameControl ?? heading)?.focus({ preventScroll: true });
  };
}

function labelOf(control: Element): string {
  const label = control.getAttribute('aria-label') ?? control.textContent;
  return `${control.tagName} ${label}`;
}
