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

  text(id: number): string {
    return this.#texts[id] as string;
  }

  ids(texts: readonly string[]): number[] {
    return texts.map((text) => this.id(text));
  }
}

/** Numbers runs of numbers. Equal runs have equal numbers. */
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
