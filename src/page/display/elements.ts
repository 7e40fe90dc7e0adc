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

export function button(label: string, onClick: () => void): HTMLButtonElement {
  return element('button', { type: 'button', on: { click: onClick } }, label);
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

/**
 * Brings an element up to date with new children, and changes only the nodes that differ: focus,
 * selected text, scroll positions and open lists stay. Children drawn anew must have no listeners,
 * since a node that stays keeps its old ones.
 */
export function updateContent(parent: Element, ...children: readonly Child[]): void {
  const newNodes = children.flatMap(toNode);
  newNodes.forEach((newNode, index) => {
    const shownNode = parent.childNodes[index];
    if (shownNode === undefined) parent.append(newNode);
    else updateNode(shownNode, newNode);
  });
  while (parent.childNodes.length > newNodes.length) parent.lastChild?.remove();
}

function updateNode(shownNode: ChildNode, newNode: Node): void {
  if (shownNode === newNode || shownNode.isEqualNode(newNode)) return;

  if (shownNode instanceof Text && newNode instanceof Text) {
    shownNode.data = newNode.data;
    return;
  }

  const areElements = shownNode instanceof Element && newNode instanceof Element;
  if (areElements && shownNode.tagName === newNode.tagName) {
    updateAttributes(shownNode, newNode);
    updateContent(shownNode, ...newNode.childNodes);
  } else {
    shownNode.replaceWith(newNode);
  }
}

function updateAttributes(shownElement: Element, newElement: Element): void {
  for (const name of shownElement.getAttributeNames()) {
    if (!newElement.hasAttribute(name)) shownElement.removeAttribute(name);
  }
  for (const { name, value } of newElement.attributes) {
    if (shownElement.getAttribute(name) === value) continue;

    // The Content-Security-Policy refuses style as an attribute, not as a property.
    if (name === 'style' && shownElement instanceof HTMLElement) shownElement.style.cssText = value;
    else shownElement.setAttribute(name, value);
  }
}

function append(parent: Element, children: readonly Child[]): void {
  parent.append(...children.flatMap(toNode));
}

function toNode(child: Child): Node[] {
  if (child === null || child === undefined || child === false) return [];
  return [child instanceof Node ? child : document.createTextNode(String(child))];
}
