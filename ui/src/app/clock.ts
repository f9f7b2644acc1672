/** Time as the window knows it: an argument, so that tests pass it themselves. */
export interface Clock {
  now(): number;
  /** Calls again and again until what it returns is called. */
  every(ms: number, act: () => void): () => void;
  /** Calls once, later, unless what it returns is called before. */
  after(ms: number, act: () => void): () => void;
}

/** The system's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  every: (ms, act) => {
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  },
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
