/** Moving a row of a list with the pointer. */

interface Hooks {
  /** Where the row would come to stand; null once it is let go. */
  over: (to: number | null) => void;
  drop: (to: number) => void;
}

/** Follows the pointer from the handle that was taken hold of. Rows carry their places as `data-at`. */
export function drag(event: PointerEvent, list: HTMLElement, from: number, { over, drop }: Hooks): void {
  const grip = event.currentTarget as HTMLElement;
  grip.setPointerCapture(event.pointerId);
  let to = from;
  over(to);
  const rows = [...list.querySelectorAll<HTMLElement>('[data-at]')];
  const place = (row: HTMLElement) => Number(row.dataset['at']);
  const moved = ({ clientY }: PointerEvent) => {
    const above = rows.filter((row) => {
      const box = row.getBoundingClientRect();
      return place(row) !== from && clientY > box.top + box.height / 2;
    });
    const last = above.at(-1);
    const at = last ? place(last) : (rows[0] ? place(rows[0]) : 0) - 1;
    to = at < from ? at + 1 : at;
    over(to);
  };
  const end = (how: PointerEvent) => {
    grip.removeEventListener('pointermove', moved);
    grip.removeEventListener('pointerup', end);
    grip.removeEventListener('pointercancel', end);
    over(null);
    if (how.type === 'pointerup') drop(to);
  };
  grip.addEventListener('pointermove', moved);
  grip.addEventListener('pointerup', end);
  grip.addEventListener('pointercancel', end);
}
