/**
 * Splits a text into lines, each with its line feed; only the last line may lack one. The lines,
 * joined, are the text.
 */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
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

  text(id: number): string {
    return this.#texts[id] as string;
  }

  ids(texts: readonly string[]): number[] {
    return texts.map((text) => this.id(text));
  }
}

/** Returns true if two sequences have equal elements in equal order. */
export function areEqual(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

/** Gives each run of numbers a number of its own. Equal runs get the same number. */
export class RunNumbers {
  readonly #numbers = new StringNumbers();
  readonly #runs: (readonly number[])[] = [];

  /** Returns the number of the run `ids` [from, to). */
  id(ids: readonly number[], from: number, to: number): number {
    const run = ids.slice(from, to);
    const id = this.#numbers.id(run.join());
    this.#runs[id] ??= run;
    return id;
  }

  run(id: number): readonly number[] {
    return this.#runs[id] as readonly number[];
  }
}
