/** Calls when the page may be about to go: it is closed, left, or hidden. What it returns ends that. */
export function onLeaving(act: () => void): () => void {
  const hidden = () => document.visibilityState === 'hidden' && act();
  window.addEventListener('pagehide', act);
  document.addEventListener('visibilitychange', hidden);
  return () => {
    window.removeEventListener('pagehide', act);
    document.removeEventListener('visibilitychange', hidden);
  };
}

/** Has the field that is being written in take what stands there as if it were left, without taking the focus from it. */
export function takeWritten(): void {
  document.activeElement?.dispatchEvent(new Event('change', { bubbles: true }));
}
