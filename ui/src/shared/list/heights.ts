/**
 * The heights of the rows of a long list, with the sums that scrolling asks for: where a row begins, and which row
 * lies at an offset. Rows that were never seen have an estimated height; a row that was keeps its height wherever it
 * moves. A Fenwick tree: each answer in the logarithm of the number of rows.
 */
export class Heights {
  #tree = new Float64Array(1);
  #own = new Float64Array(0);
  #keys: readonly string[] = [];

  constructor(readonly estimate: number) {}

  get count(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.before(this.count);
  }

  /** The place of the first row of which the keys differ from before; the number of rows when none does. */
  #differs(keys: readonly string[]): number {
    const shared = Math.min(keys.length, this.count);
    for (let at = 0; at < shared; at += 1) if (keys[at] !== this.#keys[at]) return at;
    return shared;
  }

  /** Makes it these rows. A row is known by its key. */
  align(keys: readonly string[]): void {
    const from = this.#differs(keys);
    if (from === keys.length && from === this.count) return;
    const own = new Float64Array(keys.length).fill(this.estimate);
    own.set(this.#own.subarray(0, from));
    if (from < this.count) {
      const known = new Map(this.#keys.slice(from).map((key, at) => [key, this.#own[from + at] as number]));
      for (let at = from; at < keys.length; at += 1) own[at] = known.get(keys[at] as string) ?? this.estimate;
    }
    this.#own = own;
    this.#keys = [...keys];
    this.#tree = new Float64Array(keys.length + 1);
    for (let at = 1; at <= keys.length; at += 1) {
      this.#tree[at] = (this.#tree[at] as number) + (own[at - 1] as number);
      const parent = at + (at & -at);
      if (parent <= keys.length)
        this.#tree[parent] = (this.#tree[parent] as number) + (this.#tree[at] as number);
    }
  }

  /** The key of a row. */
  key(row: number): string | undefined {
    return this.#keys[row];
  }

  /** The height of a row; says by how much it changed. */
  set(row: number, height: number): number {
    const change = height - (this.#own[row] ?? height);
    if (change === 0 || row >= this.count) return 0;
    this.#own[row] = height;
    for (let at = row + 1; at <= this.count; at += at & -at)
      this.#tree[at] = (this.#tree[at] as number) + change;
    return change;
  }

  /** The heights of all rows before one, added up: where it begins. */
  before(row: number): number {
    let sum = 0;
    for (let at = Math.min(row, this.count); at > 0; at -= at & -at) sum += this.#tree[at] as number;
    return sum;
  }

  /** The row that lies at an offset; the last one for anything below. */
  at(offset: number): number {
    let row = 0;
    let left = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const next = row + step;
      if (next <= this.count && (this.#tree[next] as number) <= left) {
        row = next;
        left -= this.#tree[next] as number;
      }
    }
    return Math.max(0, Math.min(row, this.count - 1));
  }
}
