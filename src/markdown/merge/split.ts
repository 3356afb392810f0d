/**
 * Splits a text into lines, each with its line feed; only the last line may lack one. The lines,
 * joined, are the text.
 */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/**
 * Numbers strings, so that a comparison of two strings costs one step, however long they are. Equal
 * strings have equal numbers.
 */
export class StringNumbers {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** Number of assigned numbers: 0 to size - 1 are assigned. */
  get size(): number {
    return this.#texts.length;
  }

  /** Returns the string to which a number was assigned. */
  text(id: number): string {
    return this.#texts[id] as string;
  }

  ids(texts: readonly string[]): number[] {
    return texts.map((text) => this.id(text));
  }
}

/** Numbers runs of numbers. Equal runs have equal numbers. */
export class RunNumbers {
  readonly #byHash = new Map<number, number[]>();
  readonly #runs: (readonly number[])[] = [];

  /** Returns the number of the run `ids` [from, to). */
  id(ids: readonly number[], from: number, to: number): number {
    let hash = to - from;
    for (let at = from; at < to; at++) hash = Math.imul(hash, 0x01000193) ^ (ids[at] as number);
    // Shifted, the hash fits the engine's small integers, which need no allocation.
    const alike = this.#byHash.get(hash >> 2);
    const known = alike?.find((id) => this.#isRun(id, ids, from, to));
    if (known !== undefined) return known;
    const id = this.#runs.push(ids.slice(from, to)) - 1;
    if (alike === undefined) this.#byHash.set(hash >> 2, [id]);
    else alike.push(id);
    return id;
  }

  /** Returns the run to which a number was assigned. */
  run(id: number): readonly number[] {
    return this.#runs[id] as readonly number[];
  }

  #isRun(id: number, ids: readonly number[], from: number, to: number): boolean {
    const run = this.run(id);
    if (run.length !== to - from) return false;
    for (let at = 0; at < run.length; at++) if (run[at] !== ids[from + at]) return false;
    return true;
  }
}
