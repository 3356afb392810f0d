import type { Contexts } from "./contexts.ts";
import type { Edit } from "./myers.ts";
import type { Marked } from "./places.ts";
import { Interner } from "./split.ts";
import type { Token } from "./tokens.ts";

/**
 * A text's lines, a number for each, its edit scripts to other texts, and what its lines stand in
 * once that was read.
 */
export type Lines = {
  readonly lines: readonly string[];
  readonly ids: readonly number[];
  readonly scripts: Map<string, Edit[]>;
  contexts?: Contexts;
};

/**
 * What one merge may use: comparison steps, never time, so that the same three texts always end the
 * same way on any machine; and what it has read so far, so that nothing is read twice.
 */
export type Budget = {
  left: number;
  readonly cut: Map<string, readonly Token[]>;
  /** By a line: the texts of its tokens. */
  readonly tokens: Map<string, readonly string[]>;
  readonly interner: Interner;
  readonly texts: Map<string, Lines>;
  /** Numbers of words and of marks. */
  readonly words: Interner;
  /** By a line's number: the numbers of its words, and of those in their marks. */
  readonly said: Map<number, readonly number[]>;
  readonly marked: Map<number, Marked>;
  readonly counted: WeakMap<readonly number[], ReadonlyMap<string, number>>;
};

/**
 * LIMIT: steps of one merge: more than all but one in a thousand real merges of the development
 * sets take.
 */
export const MERGE_STEPS = 2_000_000;

/** A full budget. */
export function newBudget(): Budget {
  return {
    left: MERGE_STEPS,
    cut: new Map(),
    tokens: new Map(),
    interner: new Interner(),
    texts: new Map(),
    words: new Interner(),
    said: new Map(),
    marked: new Map(),
    counted: new WeakMap(),
  };
}

/**
 * Takes the price of work that is still to be done; false, with an empty budget, when there is not
 * as much.
 */
export function afford(budget: Budget, steps: number): boolean {
  budget.left = Math.max(-1, budget.left - steps);
  return budget.left >= 0;
}

/** Takes `steps` from the budget; false when it is used up. */
export function spend(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
