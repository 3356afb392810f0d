/** Splits a string into lines. Each line keeps its line feed; the last line may have none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/**
 * Gives equal strings equal numbers. A comparison of two strings is then one step, however long the
 * strings are.
 */
export class StringNumbers {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  id(text: string): number {
    const knownId = this.#ids.get(text);
    if (knownId !== undefined) return knownId;
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

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

export function areSequencesEqual(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

/** Gives equal sequences of numbers equal numbers. */
export class SequenceNumbers {
  readonly #numbers = new StringNumbers();
  readonly #runs: (readonly number[])[] = [];

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
