/// <reference lib="esnext.disposable" preserve="true" />
import type { SyncReport } from "../mirror/operations/results/shapes.ts";

/**
 * What `watch` tells, a member of the union for each `kind`. `at`: milliseconds since the epoch.
 */
export type WatchEvent = {
  readonly at: number;
} /** Opened, and from now on kept in sync. `notes`: what there is to know of it. */ & (
  | { readonly kind: "opened"; readonly url: string; readonly notes: readonly string[] }
  /** One effect, or something that needs to be known. */
  | {
      readonly kind: "change";
      /** `put`, `create-local`, `conflict`, `safety-stop` … */
      readonly what: string;
      readonly side: string;
      readonly path: string;
      readonly id: string | null;
      /** `done`, `submitted` (to review), or why not. */
      readonly outcome: string;
      readonly detail: string;
      readonly code: string | null;
      readonly requestId: string | null;
      /** Lines; null where no text changed. */
      readonly added: number | null;
      readonly removed: number | null;
    }
  /** A run that did something, or ended otherwise than the one before. */
  | { readonly kind: "run"; readonly report: SyncReport }
  | {
      readonly kind: "phase";
      readonly phase: "idle" | "observing" | "applying" | "waiting" | "stopped" | "ended";
      readonly detail: string;
    }
  /**
   * A local deletion is sent at `dueAt` (milliseconds since the epoch), unless the file comes back.
   * `asks`: too many wait, so the mirror stops then and asks.
   */
  | { readonly kind: "deletion-pending"; readonly path: string; readonly dueAt: number; readonly asks: boolean }
  | { readonly kind: "deletion-called-off"; readonly path: string }
  /** A command has the folder for a moment. */
  | { readonly kind: "lent" | "returned"; readonly what: string }
  /**
   * `mdmirror mv` moved the folder to `to`, where it is watched from now on; null: `mdmirror
   * unlink` ended the mirror.
   */
  | { readonly kind: "left"; readonly to: string | null }
  /** The system gives no more watches: the folder is looked at with each poll. */
  | { readonly kind: "watch-limit"; readonly code: string; readonly detail: string }
  /** Time went by that nobody slept for: all is looked at again. */
  | { readonly kind: "woke"; readonly sleptMs: number }
  /** It cannot go on, and is opened again by itself after `retryMs`. */
  | {
      readonly kind: "broken";
      readonly retryMs: number;
      readonly code: string;
      readonly message: string;
      readonly next: string;
    }
  /** So many events were dropped, the oldest first, for nobody took them. */
  | { readonly kind: "missed"; readonly count: number }
);

/**
 * The events of a watch, for `for await`. Leaving the loop ends the watch, after what is under way.
 * `next` rejects with `MdmirrorError` when the folder cannot be watched: a bad key, another watch.
 */
export type MirrorWatch = AsyncIterableIterator<WatchEvent, undefined> & {
  /** Ends the watch, and resolves when what was under way has ended. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
