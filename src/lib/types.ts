/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Types of the library's calls, in addition to the results that all programs share
 * (`operations/results/shapes`).
 */

import type {
  SafetyStopReason,
  BlockedPath,
  PlannedStep,
  StatusReport,
  SyncReport,
} from "../mirror/operations/results/shapes.ts";
import type { DECLARED, OperationName } from "../mirror/operations/declared/table.ts";
import type { MethodOf } from "../mirror/operations/define.ts";
import type { MirrorWatch } from "./watch-types.ts";

export type {
  AttentionEntry,
  SafetyStopReason,
  BlockedPath,
  PlannedStep,
  StatusReport,
  SyncCounts,
  SyncReport,
} from "../mirror/operations/results/shapes.ts";
export type { MirrorWatch, WatchEvent } from "./watch-types.ts";

export type OpenOptions = {
  /**
   * URL of the service, instead of the linked address. As with `--url`, the caller decides to trust
   * this address.
   */
  readonly url?: string;
  /** API key; default: found as the commands find it. The key is not stored. */
  readonly key?: string;
  /** File with the key. */
  readonly keyFile?: string;
  /** Environment instead of `process.env`: HOME, XDG_STATE_HOME, MDMIRROR_URL, MDMIRROR_API_KEY. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export type LinkOptions = OpenOptions & {
  readonly url: string;
  /**
   * Folder of the workspace to link; default: "", the whole workspace. A list: only these folders,
   * each at its own path.
   */
  readonly remote?: string | readonly string[];
  /** `pull` never uploads, `push` never changes local files; default: `both`. */
  readonly direction?: "both" | "pull" | "push";
  /**
   * Hosts for which plain http is allowed, in addition to loopback. Plain http shows the key to
   * everyone on the network.
   */
  readonly allowHttp?: readonly string[];
  /** True to store the key in `.mdmirror/key`, mode 0600; default: true. */
  readonly storeKey?: boolean;
};

export type SyncOptions = {
  /** Narrows the direction of the folder for this sync; default: `both`, which narrows nothing. */
  readonly direction?: "both" | "pull" | "push";
  /** Number of deletions on each side that need no approval in this run. */
  readonly maxDeletes?: number;
  /**
   * True if a person waits for the sync: new content of a protected document goes to review
   * immediately, not only after two runs saw it unchanged. Default: false.
   */
  readonly attended?: boolean;
  /**
   * Signal that ends the sync. When aborted, active steps are completed and recorded, and no
   * further step starts. The report lists the other steps as `unfinished`, and the next sync
   * continues.
   */
  readonly signal?: AbortSignal;
};

/**
 * Reasons why a safety check stopped the sync. Nothing changes on either side until a call of
 * `approve` or `reject`.
 */
export type SafetyStop = {
  readonly reasons: readonly SafetyStopReason[];
  /**
   * Version of the stop, which `approve` and `reject` expect as `stop`. Null if no answer ends the
   * stop, because the folder itself has changed.
   */
  readonly version: string | null;
};

export type MirrorPlan = {
  readonly steps: readonly PlannedStep[];
  readonly blocked: readonly BlockedPath[];
  /** The stop; null if no safety check stopped the sync. */
  readonly safetyStop: SafetyStop | null;
};

/**
 * The operations, each with one input and one result, as for the commands and the tools for agents.
 * Unless `noSync` is set, a sync follows a write, and `sync` in the result is its report.
 * `expected` has the versions that the caller saw: if the current versions differ, nothing is
 * written.
 * @throws code `stale` if a version in `expected` has changed; `offline` if the service is not
 * reached or refuses the key
 */
export type Operations = { readonly [Name in OperationName]: MethodOf<(typeof DECLARED)[Name]> };

/**
 * One linked folder. Each call does what the command of the same name does. Commands and other
 * processes may run in between, because nothing is locked or remembered between two calls. Paths
 * are below the folder, with `/`. Calls reject only with `MdmirrorError`, except for bugs in
 * mdmirror.
 */
export type Mirror = Operations & {
  /** Path of the linked folder: absolute, without symbolic links. */
  readonly root: string;
  /** Returns the state from the state file alone: no network, no scan, nothing written. */
  status(): Promise<StatusReport>;
  /**
   * Scans both sides, and returns what a sync would do. Writes nothing.
   * @throws `offline` if the service is not reached or refuses the key
   */
  plan(): Promise<MirrorPlan>;
  /**
   * Syncs both sides once. If a process watches the folder, that process runs the sync. Open
   * problems are in the report, not thrown, including `offline`.
   */
  sync(options?: SyncOptions): Promise<SyncReport>;
  /**
   * Keeps the folder in sync until the loop over its events ends, `stop` is called, the signal
   * aborts, or the folder is closed. No other process may watch the folder. The call sends no
   * desktop alerts, does not notify systemd, and handles no signals of the process.
   */
  watch(options?: { readonly signal?: AbortSignal }): MirrorWatch;
  /**
   * Ends the watches of this folder, and resolves when no call is active. Later calls are refused.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
