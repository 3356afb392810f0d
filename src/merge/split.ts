/**
 * The lines of a text, each with its line feed; only the last may lack one. Joined they give the
 * text back.
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
 * Numbers for strings, equal for equal ones, so that comparing costs one step whatever the length.
 */
export class Interner {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** How many numbers this gave: they are less. */
  get size(): number {
    return this.#texts.length;
  }

  /** The string of a number this gave. */
  text(id: number): string {
    return this.#texts[id] as string;
  }

  ids(texts: readonly string[]): number[] {
    return texts.map((text) => this.id(text));
  }
}
