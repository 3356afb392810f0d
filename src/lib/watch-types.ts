/// <reference lib="esnext.disposable" preserve="true" />
import type { SyncReport } from "../mirror/operations/results/shapes.ts";

/**
 * Events of `watch`, one member of the union for each `kind`. `at`: milliseconds since the epoch.
 */
export type WatchEvent = {
  readonly at: number;
} /** Opened, and from now on kept in sync. `notes`: what there is to know of it. */ & (
  | { readonly kind: "opened"; readonly url: string; readonly notes: readonly string[] }
  /** One effect, or a fact to know. */
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
      /** Lines; null if no content changed. */
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
   * A local deletion is uploaded at `dueAt` (milliseconds since the epoch), unless the file comes
   * back. `asks`: too many are pending, so a safety check will stop and ask.
   */
  | { readonly kind: "deletion-pending"; readonly path: string; readonly dueAt: number; readonly asks: boolean }
  | { readonly kind: "deletion-called-off"; readonly path: string }
  /** A command has the folder for a moment. */
  | { readonly kind: "lent" | "returned"; readonly what: string }
  /**
   * `mdmirror mv` moved the folder to `to`, where it is watched from now on; null: `mdmirror
   * unlink` ended it.
   */
  | { readonly kind: "left"; readonly to: string | null }
  /** The system gives no more watches: the folder is scanned with each poll. */
  | { readonly kind: "watch-limit"; readonly code: string; readonly detail: string }
  /** The computer slept: everything is scanned again. */
  | { readonly kind: "woke"; readonly sleptMs: number }
  /** It failed, and is opened again by itself after `retryMs`. */
  | {
      readonly kind: "broken";
      readonly retryMs: number;
      readonly code: string;
      readonly message: string;
      readonly next: string;
    }
  /** This many events were dropped, the oldest first, because nobody read them. */
  | { readonly kind: "missed"; readonly count: number }
);

/**
 * The events of a watch, for `for await`. Leaving the loop ends the watch, after active steps.
 * `next` rejects with `MdmirrorError` if the folder cannot be watched: a bad key, another watch.
 */
export type MirrorWatch = AsyncIterableIterator<WatchEvent, undefined> & {
  /** Ends the watch, and resolves when active steps have ended. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
