/**
 * Divides the time of one thread between searches and all other tasks. Work is counted in steps,
 * such as one character that is read. In each round of the event loop, all searches together may
 * take a limited number of steps; then other tasks run.
 */

export type StepPermit = {
  /**
   * Waits until the next steps may run. Returns false if the client no longer waits for the result,
   * so that the search should end.
   */
  take(steps: number): Promise<boolean>;
};

/**
 * LIMIT: number of steps that all searches together may take in one round, so that other tasks do
 * not wait for long.
 */
export const STEPS_PER_ROUND = 400_000;

/**
 * `earlierSearches`: number of searches that began before this one. `spent`: steps that this search
 * has taken.
 */
type RunningSearch = { readonly earlierSearches: number; spent: number };
type WaitingSearch = { readonly search: RunningSearch; readonly steps: number; readonly resume: () => void };

export class SearchScheduler {
  readonly #atNextRound: (begin: () => void) => void;
  readonly #waiting: WaitingSearch[] = [];
  #searches = 0;
  #remainingSteps = STEPS_PER_ROUND;

  /** @param atNextRound runs a function after all other waiting tasks */
  constructor(atNextRound: (begin: () => void) => void) {
    this.#atNextRound = atNextRound;
  }

  permitFor(isGone: () => boolean): StepPermit {
    const search: RunningSearch = { earlierSearches: this.#searches++, spent: 0 };
    return {
      take: async (steps) => {
        if (this.#fitsIntoRound(steps) && this.#waiting.every((other) => hasPriority(search, other.search)))
          this.#remainingSteps -= steps;
        else await this.#waitForRound(search, steps);
        search.spent += steps;
        return !isGone();
      },
    };
  }

  /**
   * Returns true if `steps` steps may run in this round. More steps than the limit of a round may
   * run only in a round that has no other steps yet.
   */
  #fitsIntoRound(steps: number): boolean {
    return steps <= this.#remainingSteps || this.#remainingSteps === STEPS_PER_ROUND;
  }

  #waitForRound(search: RunningSearch, steps: number): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.push({ search, steps, resume });
      if (this.#waiting.length === 1) this.#atNextRound(() => this.#beginRound());
    });
  }

  #beginRound(): void {
    this.#remainingSteps = STEPS_PER_ROUND;
    this.#waiting.sort((a, b) => (hasPriority(a.search, b.search) ? -1 : 1));
    const { steps, resume } = this.#waiting.shift()!;
    this.#remainingSteps -= steps;
    resume();
    if (this.#waiting.length > 0) this.#atNextRound(() => this.#beginRound());
  }
}

/**
 * Returns true if the first search has priority. A search that has used fewer rounds has priority,
 * so that long searches do not delay short ones. If both searches have used equally many rounds,
 * the older search has priority, so that at least one search ends early.
 */
function hasPriority(one: RunningSearch, other: RunningSearch): boolean {
  const rounds = Math.floor(one.spent / STEPS_PER_ROUND) - Math.floor(other.spent / STEPS_PER_ROUND);
  return rounds < 0 || (rounds === 0 && one.earlierSearches < other.earlierSearches);
}
