/**
 * Shares one thread between searches and all else. Work is counted in steps: characters that are
 * read and compared, or steps of the regex engine. Of all searches together, a round of the event
 * loop does so many steps; then everybody else has a turn.
 */

/** How one search goes on. */
export type Pace = {
  /**
   * Waits until so many steps may be taken.
   * @returns false: nobody waits for the answer any more, so the search ends
   */
  take(steps: number): Promise<boolean>;
};

/** LIMIT: steps of a round. A step takes 5 to 120 ns. */
export const STEPS_OF_A_ROUND = 400_000;

type Waiting = { readonly steps: number; readonly goOn: () => void };

export class SearchTurns {
  readonly #atNextRound: (begin: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #left = STEPS_OF_A_ROUND;

  /** @param atNextRound calls back when all others have had a turn */
  constructor(atNextRound: (begin: () => void) => void) {
    this.#atNextRound = atNextRound;
  }

  /** @param isGone whether nobody waits for the answer any more */
  paceOf(isGone: () => boolean): Pace {
    return {
      take: async (steps) => {
        if (this.#waiting.length > 0 || !this.#hasRoomFor(steps)) await this.#turn(steps);
        else this.#left -= steps;
        return !isGone();
      },
    };
  }

  /** What takes more than a round has one for itself. */
  #hasRoomFor(steps: number): boolean {
    return steps <= this.#left || this.#left === STEPS_OF_A_ROUND;
  }

  #turn(steps: number): Promise<void> {
    return new Promise((goOn) => {
      this.#waiting.push({ steps, goOn });
      if (this.#waiting.length === 1) this.#atNextRound(() => this.#beginRound());
    });
  }

  /** One goes on; those behind it go on in this round too, if they fit. */
  #beginRound(): void {
    this.#left = STEPS_OF_A_ROUND;
    for (let next = this.#waiting[0]; next !== undefined && this.#hasRoomFor(next.steps); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.steps;
      next.goOn();
    }
    if (this.#waiting.length > 0) this.#atNextRound(() => this.#beginRound());
  }
}
