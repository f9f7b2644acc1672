/** The shapes of keys that services hand out, and of private keys. What looks like one by chance is only told. */
const SHAPES = [
  /\bsk-[\w-]{20,}/,
  /\bgh[pousr]_\w{30,}/,
  /\bgithub_pat_\w{30,}/,
  /\bglpat-[\w-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[\w-]{30,}/,
  /\bxox[abprs]-[\w-]{10,}/,
  /\beyJ[\w-]{16,}\.[\w-]{16,}\.[\w-]+/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

/** So much of a message is looked through: a longer one is a text that was pasted. */
const LOOKED_THROUGH = 100_000;

/** Whether a key of a service stands in a text, as far as it can be told by its shape. */
export function holdsKey(text: string): boolean {
  const looked = text.slice(0, LOOKED_THROUGH);
  return SHAPES.some((shape) => shape.test(looked));
}
