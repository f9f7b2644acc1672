/**
 * Values that come from the engine come anew each time. Put into what was known before, everything that says the same
 * is the same object again: two hundred versions of a document take the room of their differences, and what did not
 * change is not drawn again.
 */

/** A later value with every part of an earlier one that it repeats; the earlier one itself where they say the same. */
export function sharing<T>(before: T, after: T): T {
  if (before === after || typeof before !== 'object' || typeof after !== 'object') return after;
  if (before === null || after === null) return after;
  if (Array.isArray(before) && Array.isArray(after)) return sharedList(before, after) as T;
  if (Array.isArray(before) || Array.isArray(after)) return after;
  return sharedObject(before as Record<string, unknown>, after as Record<string, unknown>) as T;
}

function sharedObject(before: Record<string, unknown>, after: Record<string, unknown>) {
  let same = Object.keys(after).length === Object.keys(before).length;
  const entries = Object.entries(after).map(([name, value]) => {
    const known = Object.hasOwn(before, name);
    const shared = known ? sharing(before[name], value) : value;
    same &&= known && shared === before[name];
    return [name, shared] as const;
  });
  return same ? before : Object.fromEntries(entries);
}

/** Elements with an id are found by it wherever they stand; others stand opposite each other. */
function sharedList(before: readonly unknown[], after: readonly unknown[]) {
  const known = new Map(
    before.flatMap((one) => (idOf(one) === undefined ? [] : [[idOf(one), one] as const])),
  );
  let same = before.length === after.length;
  const shared = after.map((one, at) => {
    const value = sharing(known.get(idOf(one)) ?? before[at], one);
    same &&= value === before[at];
    return value;
  });
  return same ? before : shared;
}

function idOf(value: unknown): string | undefined {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'string' ? id : undefined;
}
