import type { Operation } from "./operation.ts";

/** Operations that cannot be laid out yet, by what they wait for. */
export class WaitingList {
  readonly #byNeed = new Map<string, Operation[]>();
  readonly #needs = new Map<Operation, string>();

  get size(): number {
    return this.#needs.size;
  }

  operations(): MapIterator<Operation> {
    return this.#needs.keys();
  }

  needOf(operation: Operation): string | undefined {
    return this.#needs.get(operation);
  }

  isAwaited(need: string): boolean {
    return this.#byNeed.has(need);
  }

  /** @param need key of what must happen first */
  add(operation: Operation, need: string): void {
    this.#needs.set(operation, need);
    const list = this.#byNeed.get(need);
    if (list === undefined) this.#byNeed.set(need, [operation]);
    else list.push(operation);
  }

  remove(operation: Operation): void {
    this.#needs.delete(operation);
  }

  /**
   * @param words key of what has happened, in parts
   * @returns the operations that waited for it, to be tried again
   */
  take(...words: (string | number)[]): readonly Operation[] {
    // Nearly always nothing waits: then no string is made.
    if (this.#byNeed.size === 0) return NONE;
    const need = words.join(" ");
    const list = this.#byNeed.get(need) ?? NONE;
    this.#byNeed.delete(need);
    return list;
  }
}

const NONE: readonly Operation[] = [];
