/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Types of the library's calls. Types of results are in `src/mirror/operations/results/shapes.ts`,
 * because the commands and the other front ends share them.
 */
import type {
  BlockedPath,
  PlannedStep,
  SafetyStopReason,
  StatusReport,
  SyncReport,
} from "../mirror/operations/results/shapes.ts";
import type { DECLARED, OperationName } from "../mirror/operations/declared/table.ts";
import type { MethodOf } from "../mirror/operations/define.ts";

export type {
  AttentionEntry,
  SafetyStopReason,
  BlockedPath,
  PlannedStep,
  StatusReport,
  SyncCounts,
  SyncReport,
} from "../mirror/operations/results/shapes.ts";

export type OpenOptions = {
  /**
   * URL of the service, which replaces the configured URL. The calling program decides to trust
   * this URL, as a user does with `--url`.
   */
  readonly url?: string;
  /** API key, which mdmirror does not store. Default: the key that the commands would use. */
  readonly key?: string;
  readonly keyFile?: string;
  /**
   * Environment variables, which replace `process.env`. mdmirror reads HOME, XDG_STATE_HOME,
   * MDMIRROR_URL and MDMIRROR_API_KEY.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export type LinkOptions = OpenOptions & {
  readonly url: string;
  /**
   * Folder of the workspace to link, or list of such folders. In a list, each folder keeps its
   * path. Default: "", the whole workspace.
   */
  readonly remote?: string | readonly string[];
  /** Direction of syncs: `pull` never uploads, `push` never changes local files. Default: `both` */
  readonly direction?: "both" | "pull" | "push";
  /**
   * Hosts, besides loopback, for which plain http is accepted. Plain http shows the key to everyone
   * on the network.
   */
  readonly allowHttp?: readonly string[];
  /** True to store the key in `.mdmirror/key` (mode 0600). Default: true. */
  readonly storeKey?: boolean;
};

export type SyncOptions = {
  /**
   * Direction of this sync. `pull` and `push` restrict the configured direction; `both` keeps it.
   */
  readonly direction?: "both" | "pull" | "push";
  /** Number of deletions on each side that need no approval. */
  readonly maxDeletes?: number;
  /**
   * True if a user waits for this sync: new content of a protected document then goes to review
   * immediately. False: the content goes to review after two syncs have seen it unchanged. Default:
   * false.
   */
  readonly attended?: boolean;
  /**
   * Signal that ends the sync early, after the active steps. The report lists the other steps as
   * `unfinished`, and the next sync carries them out.
   */
  readonly signal?: AbortSignal;
};

/** A stop by a safety check. No document changes before a call of `approve` or `reject`. */
export type SafetyStop = {
  readonly reasons: readonly SafetyStopReason[];
  /**
   * Version of the stop, to pass to `approve` or `reject` as `expected.stop`. Null if these calls
   * cannot end the stop, because the linked folder is missing or another folder is at its path.
   */
  readonly version: string | null;
};

export type MirrorPlan = {
  readonly steps: readonly PlannedStep[];
  readonly blocked: readonly BlockedPath[];
  /** Stop of the sync by a safety check; null if no check would stop the sync. */
  readonly safetyStop: SafetyStop | null;
};

/**
 * The operations, which are also commands and tools for agents. A sync follows an operation that
 * writes, unless `noSync` is set; `sync` in the result is the report of this sync. `expected` has
 * the versions that the caller has read. If a current version differs, the operation writes
 * nothing.
 * @throws MdmirrorError with code `stale` if a version in `expected` has changed, or `offline` if
 * the service is not reached or refuses the key
 */
export type Operations = { readonly [Name in OperationName]: MethodOf<(typeof DECLARED)[Name]> };

/**
 * A linked folder. Each method does the same as the command with its name. Nothing stays locked
 * between two calls. Paths are relative to the folder, with `/` between names. A method rejects
 * only with `MdmirrorError`, unless mdmirror has a bug.
 */
export type Mirror = Operations & {
  /** Path of the linked folder: absolute, without symbolic links. */
  readonly root: string;
  /** Returns the status of the folder from its state file. Sends no request, writes nothing. */
  status(): Promise<StatusReport>;
  /**
   * Scans both sides, and returns the steps of the next sync. Writes nothing.
   * @throws MdmirrorError with code `offline` if the service is not reached or refuses the key
   */
  plan(): Promise<MirrorPlan>;
  /**
   * Syncs both sides once. If a daemon watches the folder, the daemon runs the sync. An open
   * problem, such as an unreachable service, is in the report and throws no error.
   */
  sync(options?: SyncOptions): Promise<SyncReport>;
  /**
   * Keeps the folder in sync, and yields an event for each change. Ends when the loop over the
   * events ends, `stop` is called, `signal` aborts, or the folder is closed. Fails if another
   * process watches the folder. Handles no signals of the process, and notifies neither the desktop
   * nor systemd.
   */
  watch(options?: { readonly signal?: AbortSignal }): MirrorWatch;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** An event of `watch`, of the kind `kind`. `at`: time in milliseconds since the epoch. */
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
      /** `done`, `submitted` (sent to review), or the reason why the change was not made. */
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
   * A file was deleted locally. At `dueAt` (milliseconds since the epoch), mdmirror deletes the
   * file's document on the service, unless the file exists again. `asks`: true if more deletions
   * are pending than the limit allows, so that a safety check will stop the sync.
   */
  | { readonly kind: "deletion-pending"; readonly path: string; readonly dueAt: number; readonly asks: boolean }
  | { readonly kind: "deletion-called-off"; readonly path: string }
  /**
   * `lent`: the watch pauses for a command that uses the folder. `returned`: the watch continues.
   */
  | { readonly kind: "lent" | "returned"; readonly what: string }
  /**
   * The folder is no longer at its path. `to`: new path after `mdmirror mv`, where the watch
   * continues; null after `mdmirror unlink`, which ends the watch.
   */
  | { readonly kind: "left"; readonly to: string | null }
  /** The system allows no more file watches, so mdmirror scans the folder at each poll. */
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
  /** The caller read too slowly, so mdmirror dropped the oldest `count` unread events. */
  | { readonly kind: "missed"; readonly count: number }
);

/**
 * Events of a watch, for a `for await` loop. The end of the loop ends the watch, after the active
 * steps. `next` rejects with `MdmirrorError` if the folder cannot be watched, for example because
 * another process watches it.
 */
export type MirrorWatch = AsyncIterableIterator<WatchEvent, undefined> & {
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
