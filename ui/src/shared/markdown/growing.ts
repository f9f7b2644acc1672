import { growingNodes, settled } from './render';

/**
 * Draws a text that grows into an element, and takes the text as it is by now. A block that is settled is drawn once;
 * of the block that is still open only what differs is touched, so that little is laid out anew and what a person has
 * selected stays selected. `furnish` completes what was rendered before it is compared.
 */
export function growing(
  body: HTMLElement,
  furnish: (part: DocumentFragment) => void,
): (text: string) => void {
  /** The text whose blocks are settled, and how many elements they are. */
  let done = '';
  let kept = 0;

  function draw(text: string) {
    const part = growingNodes(text);
    furnish(part);
    become(body, body.children[kept] ?? null, part);
  }

  return (text) => {
    if (!text.startsWith(done)) [done, kept] = ['', 0];
    const cut = settled(text.slice(done.length));
    if (cut > 0) {
      draw(text.slice(done.length, done.length + cut));
      done = text.slice(0, done.length + cut);
      kept = body.children.length;
    }
    draw(text.slice(done.length));
  };
}

/** Makes the children of a node, from one of them on, what those of another are; what is alike stays. */
function become(parent: Node, from: ChildNode | null, wanted: Node): void {
  let old = from;
  for (const node of [...wanted.childNodes]) {
    if (old && isAlike(old, node)) {
      const next: ChildNode | null = old.nextSibling;
      update(old, node);
      old = next;
    } else parent.insertBefore(node, old);
  }
  while (old) {
    const next: ChildNode | null = old.nextSibling;
    old.remove();
    old = next;
  }
}

function isAlike(one: Node, other: Node): boolean {
  return one.nodeName === other.nodeName;
}

function update(old: ChildNode, node: ChildNode): void {
  if (old instanceof Text && node instanceof Text) {
    if (old.data === node.data) return;
    if (node.data.startsWith(old.data)) old.appendData(node.data.slice(old.data.length));
    else old.data = node.data;
  } else if (old instanceof Element && node instanceof Element) {
    for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of node.attributes)
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    become(old, old.firstChild, node);
  }
}
