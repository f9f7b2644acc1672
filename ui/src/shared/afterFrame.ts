/** Does something some milliseconds after the frame that comes next, unless what it gives is called before. */
export function afterFrame(act: () => void, ms = 0): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const frame = requestAnimationFrame(() => (timer = setTimeout(act, ms)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
