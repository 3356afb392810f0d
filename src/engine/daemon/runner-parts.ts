import type { RemoteNews } from "../../ports/news.ts";
import type { Watcher } from "../../ports/watch.ts";
import type { Settings, World } from "../run/world.ts";
import type { EventPublisher } from "./events.ts";
import type { DaemonTiming } from "./timing.ts";

/** What the daemon's loop gives to what decides. */
export type RunnerParts = {
  readonly world: World;
  readonly watcher: Watcher;
  readonly news: RemoteNews | null;
  readonly settings: Settings;
  readonly timing: DaemonTiming;
  readonly publisher: EventPublisher;
  /** Asks to be woken at a time when something will be due that was not foreseen. */
  readonly wakeBy: (at: number) => void;
};
