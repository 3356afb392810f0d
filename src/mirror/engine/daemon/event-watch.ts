import type { RemoteFile } from "../../model/tree.ts";
import type { EventHint, EventListener, EventStreamState, RemoteEvents } from "../../ports/events.ts";
import type { World } from "../run/world.ts";
import { checkHintedDocuments } from "./hinted-documents.ts";
import type { Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";

type NewsParts = {
  readonly world: World;
  /** Null: the daemon does not listen to the service. */
  readonly news: RemoteEvents | null;
  readonly runs: Pick<Runs, "hints" | "knownTrees">;
  readonly schedule: Pick<Schedule, "noteTold" | "pollAt">;
  readonly wakeBy: (at: number) => void;
};

/**
 * Listens to the service's events while the daemon runs, and looks at the documents that they name.
 */
export class EventWatch implements EventListener {
  readonly #parts: NewsParts;
  #state: EventStreamState = { kind: "off" };

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.news?.start(this);
  }

  async close(): Promise<void> {
    await this.#parts.news?.close();
    this.#state = { kind: "off" };
  }

  state(): EventStreamState {
    return this.#state;
  }

  onHint(hint: EventHint): void {
    const { runs, wakeBy } = this.#parts;
    const isFirst = runs.hints.dueAt() === null;
    runs.hints.note(hint, this.#now());
    if (isFirst) wakeBy(runs.hints.dueAt()!);
  }

  onState(state: EventStreamState): void {
    const { world, schedule, wakeBy } = this.#parts;
    const before = this.#state;
    this.#state = state;
    schedule.noteTold(state.kind === "listening");
    if (before.kind === "listening") wakeBy(schedule.pollAt());
    const why = "why" in state ? state.why : null;
    if (state.kind !== before.kind) world.log.write("info", "news", { state: state.kind, why });
  }

  /**
   * Looks at the documents that events named.
   * @returns those that differ from base; null: only a listing can tell
   */
  async look(): Promise<readonly RemoteFile[] | null> {
    const { world, runs } = this.#parts;
    const hinted = runs.hints.take();
    if (hinted.kind === "all") {
      if (hinted.folders) {
        runs.knownTrees.forgetRemote(true);
        this.payForList();
      }
      return null;
    }
    const looked = await checkHintedDocuments(world, hinted.files);
    if (looked.kind === "whole") return null;
    runs.hints.pay(looked.inVain, this.#now());
    return looked.files;
  }

  /** A listing that an event caused counts against the budget of events, whatever it shows. */
  payForList(): void {
    const { hints, knownTrees } = this.#parts.runs;
    hints.payForList(knownTrees.documentCount(), this.#now());
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }
}
