/** Seeded chance: the same seed, the same rolls (mulberry32). */
export type Dice = {
  /** [0, 1) */
  fraction(): number;
  /** A whole number in [0, n). */
  below(n: number): number;
  pick<T>(items: readonly T[]): T;
  hex(n: number): string;
  /** What `rollDice` goes on from, as these dice would. */
  seedNow(): number;
};

export function rollDice(seed: number): Dice {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(fraction() * n);
  return {
    fraction,
    below,
    pick: (items) => {
      if (items.length === 0) throw new Error("nothing to pick from");
      return items[below(items.length)]!;
    },
    hex: (n) => Array.from({ length: n }, () => below(16).toString(16)).join(""),
    seedNow: () => state,
  };
}

/** Seeded bytes, n at a time, for what asks for `randomBytes`. */
export function rollBytes(seed: number): (n: number) => Buffer {
  const dice = rollDice(seed);
  return (n) => Buffer.from(Array.from({ length: n }, () => dice.below(256)));
}
