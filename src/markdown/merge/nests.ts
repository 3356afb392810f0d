/** Numbers for what may be open in a row around a line, equal for equal rows; 0 for nothing. */
export class Nests {
  readonly #byOuter: Map<string, number>[] = [new Map()];
  readonly #names: string[] = [""];
  readonly #outers: number[] = [0];
  readonly #depths: number[] = [0];

  /** The number of a name inside of what is open already. */
  inside(outer: number, name: string): number {
    const within = this.#byOuter[outer] as Map<string, number>;
    const known = within.get(name);
    if (known !== undefined) return known;
    const id = this.#names.push(name) - 1;
    this.#outers.push(outer);
    this.#depths.push(this.depth(outer) + 1);
    this.#byOuter.push(new Map());
    within.set(name, id);
    return id;
  }

  /** The name of the innermost; empty where nothing is open. */
  name(id: number): string {
    return this.#names[id] as string;
  }

  /** What is around the innermost. */
  outer(id: number): number {
    return this.#outers[id] as number;
  }

  /** How many are open. */
  depth(id: number): number {
    return this.#depths[id] as number;
  }
}
