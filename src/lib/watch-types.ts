/// <reference lib="esnext.disposable" preserve="true" />
import type { SyncReport } from "../mirror/operations/results/shapes.ts";

/** An event of `watch`; `kind` says which. `at`: time in milliseconds since the epoch. */
export type WatchEvent = {
  readonly at: number;
} & (
  | {
      readonly kind: "phase";
      readonly phase: "idle" | "observing" | "applying" | "waiting" | "stopped" | "ended";
      readonly detail: string;
    }
  /** The folder was opened; mdmirror now keeps it in sync. `notes`: messages for the user. */
  | { readonly kind: "opened"; readonly url: string; readonly notes: readonly string[] }
  /** A change that mdmirror made on either side, or an observation that users should know about. */
  | {
      readonly kind: "change";
      /** Kind of the change, such as `put`, `create-local`, `conflict` or `safety-stop`. */
      readonly what: string;
      readonly side: string;
      readonly path: string;
      readonly id: string | null;
      /** Outcome: `done`, `submitted` (sent to review), or why the change was not made. */
      readonly outcome: string;
      readonly detail: string;
      readonly code: string | null;
      readonly requestId: string | null;
      /** Number of added lines; null if the content did not change. */
      readonly added: number | null;
      readonly removed: number | null;
    }
  /** A finished sync that changed something, or whose result differs from the sync before. */
  | { readonly kind: "run"; readonly report: SyncReport }
  /**
   * A file was deleted locally. mdmirror deletes its document on the service at `dueAt`
   * (milliseconds since the epoch), unless the file exists again by then. `asks`: true if there are
   * more pending deletions than the limit allows, so that a safety check will stop the sync.
   */
  | { readonly kind: "deletion-pending"; readonly path: string; readonly dueAt: number; readonly asks: boolean }
  | { readonly kind: "deletion-called-off"; readonly path: string }
  /**
   * `lent`: the watch pauses, because a command uses the folder. `returned`: the watch continues.
   */
  | { readonly kind: "lent" | "returned"; readonly what: string }
  /**
   * The folder is no longer at its path. `to` is its new path after `mdmirror mv`, where the watch
   * continues; null after `mdmirror unlink`, which ends the watch.
   */
  | { readonly kind: "left"; readonly to: string | null }
  /** The system allows no further file watches. mdmirror scans the folder at each poll instead. */
  | { readonly kind: "watch-limit"; readonly code: string; readonly detail: string }
  /** The computer woke up after `sleptMs` milliseconds. mdmirror scans both sides completely. */
  | { readonly kind: "woke"; readonly sleptMs: number }
  /** An error closed the folder. mdmirror opens the folder again after `retryMs` milliseconds. */
  | {
      readonly kind: "broken";
      readonly retryMs: number;
      readonly code: string;
      readonly message: string;
      readonly next: string;
    }
  /** The caller read too slowly, so that the oldest `count` unread events were dropped. */
  | { readonly kind: "missed"; readonly count: number }
);

/**
 * The events of a watch, for a `for await` loop. The end of the loop ends the watch, after active
 * steps. `next` rejects with `MdmirrorError` if the folder cannot be watched, for example because
 * another process watches the folder.
 */
export type MirrorWatch = AsyncIterableIterator<WatchEvent, undefined> & {
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
