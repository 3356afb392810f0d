/** Seeded random numbers: the same seed gives the same numbers (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Draws a number in [0, 1). */
  readonly fraction = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };

  /** Draws n bytes, for callers of `randomBytes`. */
  readonly bytes = (n: number): Buffer => Buffer.alloc(n).map(() => this.below(256)) as Buffer;

  /** Draws a whole number in [0, n). */
  below(n: number): number {
    return Math.floor(this.fraction() * n);
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("nothing to pick from");
    return items[this.below(items.length)]!;
  }

  hex(n: number): string {
    return Array.from({ length: n }, () => this.below(16).toString(16)).join("");
  }

  /** Returns the seed with which `rollDice` continues these numbers. */
  seedNow(): number {
    return this.#state;
  }
}

export function rollDice(seed: number): Dice {
  return new Dice(seed);
}

export function rollBytes(seed: number): (n: number) => Buffer {
  return rollDice(seed).bytes;
}
