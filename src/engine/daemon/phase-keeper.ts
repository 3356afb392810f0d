import type { EventPublisher } from "./events.ts";
import { IDLE, nextPhase, type Phase, type PhaseEvent } from "./phase.ts";

/** The phase that the daemon is in; each change is published. */
export class PhaseKeeper {
  readonly #publisher: EventPublisher;
  #phase: Phase = IDLE;

  constructor(publisher: EventPublisher) {
    this.#publisher = publisher;
  }

  now(): Phase {
    return this.#phase;
  }

  /** @param failures how many attempts in a row failed before */
  enter(event: PhaseEvent, failures: number): void {
    const before = this.#phase;
    this.#phase = nextPhase(before, event, failures);
    if (this.#phase !== before) this.#publisher.publish({ kind: "phase", phase: this.#phase });
  }
}
