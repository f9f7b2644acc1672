type Copy = (text: string) => Promise<void>;

let way: Copy = (text) => navigator.clipboard.writeText(text);

/** Has texts copied in another way than a browser's own, which a window may refuse its page. */
export function copyBy(other: Copy): void {
  way = other;
}

/** Puts a text where other programs paste from. */
export const copy: Copy = (text) => way(text);
