/**
 * Reads one at a time. Who asks while it reads has it read once more, because the reading under way may be from before
 * what they ask for; the promise is kept when the last reading is done.
 */
export function rereading(read: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let asked = false;
  async function readAll() {
    try {
      do {
        asked = false;
        await read();
      } while (asked);
    } finally {
      running = null;
    }
  }
  return () => {
    asked = true;
    return (running ??= readAll());
  };
}
