/// <reference lib="esnext.disposable" preserve="true" />
import type { SyncReport } from "../mirror/operations/results/shapes.ts";

/**
 * Event of `watch`: one member of the union for each `kind`. `at`: milliseconds since the epoch.
 */
export type WatchEvent = {
  readonly at: number;
} & (
  | {
      readonly kind: "phase";
      readonly phase: "idle" | "observing" | "applying" | "waiting" | "stopped" | "ended";
      readonly detail: string;
    }
  /**
   * The folder was opened, and is kept in sync from now on. `notes`: messages about the opening.
   */
  | { readonly kind: "opened"; readonly url: string; readonly notes: readonly string[] }
  /** A change that mdmirror made on either side, or a fact that users should know. */
  | {
      readonly kind: "change";
      /** Kind of the event: `put`, `create-local`, `conflict`, `safety-stop` … */
      readonly what: string;
      readonly side: string;
      readonly path: string;
      readonly id: string | null;
      /** Result: `done`, `submitted` (to review), or the reason why the effect was not done. */
      readonly outcome: string;
      readonly detail: string;
      readonly code: string | null;
      readonly requestId: string | null;
      /** Number of added lines; null if no content changed. */
      readonly added: number | null;
      readonly removed: number | null;
    }
  /** A run that changed something, or whose result differs from that of the previous run. */
  | { readonly kind: "run"; readonly report: SyncReport }
  /**
   * A local deletion that is sent at `dueAt` (milliseconds since the epoch), unless the file exists
   * again by then. `asks`: true if the number of pending deletions is above the limit, so that a
   * safety check will stop the sync.
   */
  | { readonly kind: "deletion-pending"; readonly path: string; readonly dueAt: number; readonly asks: boolean }
  | { readonly kind: "deletion-called-off"; readonly path: string }
  /** `lent`: a command uses the folder, and the watch pauses; `returned`: the watch continues. */
  | { readonly kind: "lent" | "returned"; readonly what: string }
  /**
   * The folder is no longer at its path. `to`: new path after `mdmirror mv`, where it is watched
   * from now on; null after `mdmirror unlink`.
   */
  | { readonly kind: "left"; readonly to: string | null }
  /** The system allows no more watches, so the folder is scanned with each poll. */
  | { readonly kind: "watch-limit"; readonly code: string; readonly detail: string }
  /** The computer was asleep, so everything is scanned again. */
  | { readonly kind: "woke"; readonly sleptMs: number }
  /**
   * An error ended the watch of the folder. The folder is opened again automatically after
   * `retryMs`.
   */
  | {
      readonly kind: "broken";
      readonly retryMs: number;
      readonly code: string;
      readonly message: string;
      readonly next: string;
    }
  /** Events were dropped, the oldest first, because nobody read them. `count`: how many. */
  | { readonly kind: "missed"; readonly count: number }
);

/**
 * Events of a watch, for `for await`. When the loop ends, the watch ends after active steps. `next`
 * rejects with `MdmirrorError` if the folder cannot be watched: a bad key, another watch.
 */
export type MirrorWatch = AsyncIterableIterator<WatchEvent, undefined> & {
  /** Ends the watch, and resolves when active steps have ended. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
