/**
 * Shares one thread between searches and all else. Work is counted in steps: characters that are
 * read and compared, or steps of the regex engine. Of all searches together, a round of the event
 * loop does so many steps; then everybody else has a turn.
 */

/** The steps of one search. */
export type Pace = {
  /**
   * Waits until so many steps may be taken.
   * @returns false: nobody waits for the answer any more, so the search ends
   */
  take(steps: number): Promise<boolean>;
};

/** LIMIT: steps of a round. A step takes 5 to 120 ns. */
export const STEPS_OF_A_ROUND = 400_000;

/** A search, with the number of those that began before it. */
type Search = { readonly number: number; spent: number };
type Waiting = { readonly search: Search; readonly steps: number; readonly goOn: () => void };

export class SearchTurns {
  readonly #atNextRound: (begin: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #searches = 0;
  #left = STEPS_OF_A_ROUND;

  /** @param atNextRound calls back when all others have had a turn */
  constructor(atNextRound: (begin: () => void) => void) {
    this.#atNextRound = atNextRound;
  }

  /** @param isGone whether nobody waits for the answer any more */
  paceOf(isGone: () => boolean): Pace {
    const search: Search = { number: this.#searches++, spent: 0 };
    return {
      take: async (steps) => {
        if (this.#hasRoomFor(steps) && this.#waiting.every((other) => isBefore(search, other.search)))
          this.#left -= steps;
        else await this.#turn(search, steps);
        search.spent += steps;
        return !isGone();
      },
    };
  }

  /** What takes more than a round has one for itself. */
  #hasRoomFor(steps: number): boolean {
    return steps <= this.#left || this.#left === STEPS_OF_A_ROUND;
  }

  #turn(search: Search, steps: number): Promise<void> {
    return new Promise((goOn) => {
      this.#waiting.push({ search, steps, goOn });
      if (this.#waiting.length === 1) this.#atNextRound(() => this.#beginRound());
    });
  }

  /** One goes on, as far as it gets in this round: it may end, and need no other. */
  #beginRound(): void {
    this.#left = STEPS_OF_A_ROUND;
    this.#waiting.sort((a, b) => (isBefore(a.search, b.search) ? -1 : 1));
    const { steps, goOn } = this.#waiting.shift()!;
    this.#left -= steps;
    goOn();
    if (this.#waiting.length > 0) this.#atNextRound(() => this.#beginRound());
  }
}

/**
 * A search that has taken fewer whole rounds goes first, so that no long one keeps a short one; of
 * such, the one that began first, so that not all of them end late.
 */
function isBefore(one: Search, other: Search): boolean {
  const rounds = Math.floor(one.spent / STEPS_OF_A_ROUND) - Math.floor(other.spent / STEPS_OF_A_ROUND);
  return rounds < 0 || (rounds === 0 && one.number < other.number);
}
