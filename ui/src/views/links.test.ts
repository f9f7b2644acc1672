import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepLinksOut } from './links';

let opened: string[];
let leave: () => void;

beforeEach(() => {
  opened = [];
  leave = keepLinksOut(document, (address) => opened.push(address));
});

afterEach(() => {
  leave();
  document.body.innerHTML = '';
});

/** Whether the page's own way with an event is kept from happening. */
const kept = (target: Element, event: Event) => !target.dispatchEvent(event);
const click = (button: number) =>
  new MouseEvent(button === 0 ? 'click' : 'auxclick', { bubbles: true, cancelable: true, button });

function link(href: string): Element {
  document.body.innerHTML = `<a href="${href}"><b>there</b></a>`;
  return document.body.querySelector('b') as Element;
}

test('web and mail links are opened outside, with the left button and with the middle one', () => {
  for (const href of ['https://example.org/page', 'http://example.org/', 'mailto:ada@example.org']) {
    expect([kept(link(href), click(0)), kept(link(href), click(1))]).toEqual([true, true]);
    expect(opened.splice(0)).toEqual([href, href]);
  }
});

test('other links lead nowhere, and a menu may still be opened over any', () => {
  for (const href of ['file:///etc/passwd', 'javascript:void 0', 'tauri://localhost/', '#below'])
    expect(kept(link(href), click(0))).toBe(true);
  expect(kept(link('https://example.org/'), click(2))).toBe(false);
  expect(opened).toEqual([]);
});

test('a link that somebody has seen to is not opened once more', () => {
  const inner = link('https://example.org/');
  inner.parentElement?.addEventListener('click', (event) => event.preventDefault());
  kept(inner, click(0));
  expect(opened).toEqual([]);
});

test('what is dropped leads nowhere, and only text goes into a field', () => {
  document.body.innerHTML = '<p></p><textarea></textarea>';
  const drop = (where: string, types: string[]) => {
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types, dropEffect: 'copy' } });
    return kept(document.body.querySelector(where) as Element, event);
  };
  expect(drop('p', ['Files'])).toBe(true);
  expect(drop('p', ['text/uri-list'])).toBe(true);
  expect(drop('textarea', ['Files', 'text/uri-list'])).toBe(true);
  expect(drop('textarea', ['text/plain'])).toBe(false);
});
