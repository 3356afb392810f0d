/**
 * Shares one thread between searches and all other work. Work is counted in steps: characters read
 * and compared, or steps of the regex engine. In each round of the event loop, all searches
 * together may take a limited number of steps. Other tasks then run.
 */

/** Permits the steps of one search. */
export type StepPermit = {
  /**
   * Waits until the steps may run.
   * @returns false if the client no longer waits, so that the search ends
   */
  take(steps: number): Promise<boolean>;
};

/** LIMIT: steps of a round. */
export const STEPS_PER_ROUND = 400_000;

/** A search. `number`: count of searches that began before this one. */
type Search = { readonly earlierSearches: number; spent: number };
type WaitingSearch = { readonly search: Search; readonly steps: number; readonly resume: () => void };

export class SearchScheduler {
  readonly #atNextRound: (begin: () => void) => void;
  readonly #waiting: WaitingSearch[] = [];
  #searches = 0;
  #left = STEPS_PER_ROUND;

  /** @param atNextRound schedules a callback that runs after all other tasks */
  constructor(atNextRound: (begin: () => void) => void) {
    this.#atNextRound = atNextRound;
  }

  /**
   * Returns the permit that a new search needs for its steps.
   * @param isGone returns true if the client no longer waits for the answer
   */
  permitFor(isGone: () => boolean): StepPermit {
    const search: Search = { earlierSearches: this.#searches++, spent: 0 };
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

  /** Returns true if the steps fit in this round. Work larger than a round gets a whole round. */
  #hasRoomFor(steps: number): boolean {
    return steps <= this.#left || this.#left === STEPS_PER_ROUND;
  }

  #turn(search: Search, steps: number): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.push({ search, steps, resume });
      if (this.#waiting.length === 1) this.#atNextRound(() => this.#beginRound());
    });
  }

  /**
   * Starts a round for the first search in the queue. This search may use all steps of the round,
   * and then perhaps needs no further round.
   */
  #beginRound(): void {
    this.#left = STEPS_PER_ROUND;
    this.#waiting.sort((a, b) => (isBefore(a.search, b.search) ? -1 : 1));
    const { steps, resume } = this.#waiting.shift()!;
    this.#left -= steps;
    resume();
    if (this.#waiting.length > 0) this.#atNextRound(() => this.#beginRound());
  }
}

/**
 * Returns true if one search has priority over another: it has used fewer whole rounds, so that
 * long searches do not delay short ones. Among equals the older search has priority, so that not
 * all of them finish late.
 */
function isBefore(one: Search, other: Search): boolean {
  const rounds = Math.floor(one.spent / STEPS_PER_ROUND) - Math.floor(other.spent / STEPS_PER_ROUND);
  return rounds < 0 || (rounds === 0 && one.earlierSearches < other.earlierSearches);
}
