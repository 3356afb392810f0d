import type { RemoteFile } from "../../model/tree.ts";
import type { NewsHint, NewsListener, NewsState, RemoteNews } from "../../ports/news.ts";
import type { World } from "../run/world.ts";
import { lookAtHinted } from "./hinted-look.ts";
import type { Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";

type NewsParts = {
  readonly world: World;
  /** null: nobody listens. */
  readonly news: RemoteNews | null;
  readonly runs: Pick<Runs, "hints" | "knownTrees">;
  readonly schedule: Pick<Schedule, "noteTold" | "pollAt">;
  readonly wakeBy: (at: number) => void;
};

/** The service's news, from the daemon's first turn to its end, and looks at what they say. */
export class NewsWatch implements NewsListener {
  readonly #parts: NewsParts;
  #state: NewsState = { kind: "off" };

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

  state(): NewsState {
    return this.#state;
  }

  onHint(hint: NewsHint): void {
    const { runs, wakeBy } = this.#parts;
    const isFirst = runs.hints.dueAt() === null;
    runs.hints.note(hint, this.#now());
    if (isFirst) wakeBy(runs.hints.dueAt()!);
  }

  onState(state: NewsState): void {
    const { world, schedule, wakeBy } = this.#parts;
    const before = this.#state;
    this.#state = state;
    schedule.noteTold(state.kind === "listening");
    if (before.kind === "listening") wakeBy(schedule.pollAt());
    const why = "why" in state ? state.why : null;
    if (state.kind !== before.kind) world.log.write("info", "news", { state: state.kind, why });
  }

  /**
   * Looks at the documents that were hinted at.
   * @returns those that are not as base has them; null: only the list can tell
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
    const looked = await lookAtHinted(world, hinted.files);
    if (looked.kind === "whole") return null;
    runs.hints.pay(looked.inVain, this.#now());
    return looked.files;
  }

  /** Whatever a list shows that was asked for because of a hint, it counts as one in vain. */
  payForList(): void {
    const { hints, knownTrees } = this.#parts.runs;
    hints.payForList(knownTrees.documentCount(), this.#now());
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }
}
