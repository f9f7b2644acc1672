/** Every text that a person reads, in one place. */
export const text = {
  name: 'Assent',
  promise: 'Plans first, asks, and is held to its plan.',
} as const;
