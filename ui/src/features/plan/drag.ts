/** Moving a row of a list with the pointer. */

interface Hooks {
  /** Where the row would come to stand; null once it is let go. */
  over: (to: number | null) => void;
  drop: (to: number) => void;
}

/** So near to the edge of what scrolls, the list comes by; so much of it at a time. */
const EDGE_PX = 48;
const STEP_PX = 14;

/** What scrolls around a row. */
function scroller(row: HTMLElement): HTMLElement | null {
  for (let around = row.parentElement; around; around = around.parentElement) {
    const { overflowY } = getComputedStyle(around);
    if (/auto|scroll/.test(overflowY) && around.scrollHeight > around.clientHeight) return around;
  }
  return null;
}

/**
 * Follows the pointer from the handle that was taken hold of. Rows carry their places as `data-at`. Where the handle goes
 * meanwhile, with its row or without, nothing is dropped.
 */
export function drag(event: PointerEvent, list: HTMLElement, from: number, { over, drop }: Hooks): void {
  const grip = event.currentTarget as HTMLElement;
  // Else the text that it passes over would be chosen.
  event.preventDefault();
  grip.setPointerCapture(event.pointerId);
  let to = from;
  over(to);
  const place = (row: HTMLElement) => Number(row.dataset['at']);
  const around = scroller(grip);
  let [pointer, frame] = [event.clientY, 0];
  const look = () => {
    // Of a long list those are there that are seen, others each time.
    const others = [...list.querySelectorAll<HTMLElement>('[data-at]')].filter((row) => place(row) !== from);
    const isAbove = (row: HTMLElement) => {
      const box = row.getBoundingClientRect();
      return pointer > box.top + box.height / 2;
    };
    const last = others.findLast(isAbove);
    const at = last ? place(last) : (others[0] ? place(others[0]) : 0) - 1;
    to = at < from ? at + 1 : at;
    over(to);
  };
  const scroll = () => {
    frame = 0;
    if (!around || !grip.isConnected) return;
    const { top, bottom } = around.getBoundingClientRect();
    const by = pointer < top + EDGE_PX ? -STEP_PX : pointer > bottom - EDGE_PX ? STEP_PX : 0;
    const before = around.scrollTop;
    around.scrollTop += by;
    if (around.scrollTop === before) return;
    look();
    frame = requestAnimationFrame(scroll);
  };
  const moved = ({ clientY }: PointerEvent) => {
    pointer = clientY;
    look();
    if (!frame) frame = requestAnimationFrame(scroll);
  };
  const heard = new AbortController();
  const hear = (how: PointerEvent) => {
    if (how.pointerId !== event.pointerId) return;
    if (how.type === 'pointermove' && grip.isConnected) return moved(how);
    cancelAnimationFrame(frame);
    heard.abort();
    over(null);
    if (how.type === 'pointerup' && grip.isConnected) drop(to);
  };
  // At the document, which hears of the pointer still when the handle is gone.
  for (const name of ['pointermove', 'pointerup', 'pointercancel', 'lostpointercapture'] as const)
    document.addEventListener(name, hear, { capture: true, signal: heard.signal });
}
