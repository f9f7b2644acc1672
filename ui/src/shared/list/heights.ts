/**
 * The heights of the rows of a long list, with the sums that scrolling asks for: where a row begins, and which row
 * lies at an offset. Rows that were never seen have an estimated height. A Fenwick tree: each answer in the logarithm
 * of the number of rows.
 */
export class Heights {
  #tree: Float64Array;
  #own: Float64Array;
  #count = 0;

  constructor(readonly estimate: number) {
    this.#tree = new Float64Array(1);
    this.#own = new Float64Array(0);
  }

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.before(this.#count);
  }

  /** Makes it as many rows; the first ones keep their heights. */
  resize(count: number): void {
    if (count === this.#count) return;
    const own = new Float64Array(count).fill(this.estimate);
    own.set(this.#own.subarray(0, Math.min(count, this.#count)));
    this.#own = own;
    this.#count = count;
    this.#tree = new Float64Array(count + 1);
    for (let at = 1; at <= count; at += 1) {
      this.#tree[at] = (this.#tree[at] as number) + (own[at - 1] as number);
      const parent = at + (at & -at);
      if (parent <= count) this.#tree[parent] = (this.#tree[parent] as number) + (this.#tree[at] as number);
    }
  }

  /** The height of a row; says by how much it changed. */
  set(row: number, height: number): number {
    const change = height - (this.#own[row] ?? height);
    if (change === 0 || row >= this.#count) return 0;
    this.#own[row] = height;
    for (let at = row + 1; at <= this.#count; at += at & -at)
      this.#tree[at] = (this.#tree[at] as number) + change;
    return change;
  }

  /** The heights of all rows before one, added up: where it begins. */
  before(row: number): number {
    let sum = 0;
    for (let at = Math.min(row, this.#count); at > 0; at -= at & -at) sum += this.#tree[at] as number;
    return sum;
  }

  /** The row that lies at an offset; the last one for anything below. */
  at(offset: number): number {
    let row = 0;
    let left = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#count))); step >= 1; step /= 2) {
      const next = row + step;
      if (next <= this.#count && (this.#tree[next] as number) <= left) {
        row = next;
        left -= this.#tree[next] as number;
      }
    }
    return Math.max(0, Math.min(row, this.#count - 1));
  }
}
