/** What is made while a view is drawn and goes on after it: what it derives would stand still with the view otherwise. */
export function outliving<T>(make: () => T): T {
  let made: T | undefined;
  $effect.root(() => void (made = make()));
  return made as T;
}
