/// <reference lib="esnext.disposable" preserve="true" />
/** What the library's functions take and give, beside what programs are told (`app/told`). */

import type {
  SafetyStopReason,
  BlockedPath,
  PlannedStep,
  StatusReport,
  SyncReport,
} from "../mirror/operations/results/shapes.ts";
import type { DoneMany, ManyChoice } from "./many-types.ts";
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
export type { DoneMany, ManyChoice } from "./many-types.ts";
export type { MirrorWatch, WatchEvent } from "./watch-types.ts";

export type OpenOptions = {
  /** The service, instead of the linked one's address; as `--url`, it is the user's own word. */
  readonly url?: string;
  /** The API key; else it is found as the command finds it. It is stored nowhere. */
  readonly key?: string;
  /** A file that holds the key. */
  readonly keyFile?: string;
  /** In place of `process.env`: HOME, XDG_STATE_HOME, MDMIRROR_URL, MDMIRROR_API_KEY. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export type LinkOptions = OpenOptions & {
  readonly url: string;
  /** Mirrors this folder of the workspace; "", the default, is the whole. */
  readonly remote?: string;
  /** Hosts that plain http may be used for, besides loopback: it shows the key to the network. */
  readonly allowHttp?: readonly string[];
  /** Keeps the key in `.mdmirror/key`, mode 0600; the default is true. */
  readonly storeKey?: boolean;
};

export type SyncOptions = {
  /** The default is `both`. */
  readonly direction?: "both" | "pull-only" | "push-only";
  /** So many deletions on each side pass without a question, in this run. */
  readonly maxDeletes?: number;
  /**
   * Somebody waits for it: a protected document's new text goes to review at once, not only when it
   * was the same in two runs. The default is false.
   */
  readonly attended?: boolean;
  /**
   * When it aborts, what was begun is ended and written down, and nothing more is begun: the report
   * names as `unfinished` how much is left, and the next sync goes on. Where a daemon does it, that
   * goes on, and is waited for.
   */
  readonly signal?: AbortSignal;
};

/** Why a guard has stopped the mirror: until the answer nothing changes on either side. */
export type SafetyStop = {
  readonly reasons: readonly SafetyStopReason[];
  /** Whether the reasons themselves are approved, and not only the steps that they are about. */
  readonly byReason: boolean;
  /** Names what is stopped, so that `approve` and `reject` answer to just that. */
  readonly keys: readonly string[];
};

export type MirrorPlan = {
  readonly steps: readonly PlannedStep[];
  readonly blocked: readonly BlockedPath[];
  /** null: nothing is stopped. */
  readonly safetyStop: SafetyStop | null;
};

/** What came of an answer to a halt. The next `sync` goes on with it. */
export type SafetyStopAnswer = {
  /** How many steps, or reasons, were let go; how many documents and folders were brought back. */
  readonly count: number;
  /** What could not be brought back, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
};

/**
 * How what is open is to end. `mine` is this folder, `theirs` the service; `keep`, `delete` and
 * `recreate` are for holds. `text`: the merged text; one that holds conflict markers is refused
 * unless `force` is set.
 */
export type Choice =
  | { readonly kind: "mine" | "theirs"; readonly force?: boolean }
  | { readonly kind: "merged"; readonly text: string; readonly force?: boolean }
  | { readonly kind: "keep" | "delete" | "recreate" };

/** What a choice did; the next `sync` sends it. `notes`: what the user should know, as clauses. */
export type Done = { readonly path: string; readonly notes: readonly string[] };

export type OpenConflict = {
  readonly path: string;
  /** The file with the service's text. */
  readonly conflictCopy: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Bytes in UTF-8; null: not there, or no longer kept. */
  readonly mine: number | null;
  readonly theirs: number | null;
  readonly inReview: boolean;
};

export type OpenBlockedPath = BlockedPath & {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly next: string;
};

/** One text of a document's history, which `show` and `restore` know by `n`. */
export type Version = {
  /** From 1, oldest first; it names the same text while newer ones arrive. */
  readonly n: number;
  /** When it was first seen: milliseconds since the epoch; 0: before all that is known. */
  readonly at: number;
  /** `service`: it was live there; `here`: it was only ever in the folder. */
  readonly from: "service" | "local";
  /** SHA-256 of its UTF-8, in hexadecimal. */
  readonly sha256: string;
  /** Bytes in UTF-8; null: the text is no longer kept. */
  readonly size: number | null;
  /** What happened when it came, as a clause. */
  readonly what: string;
  readonly changeId: string | null;
};

export type History = {
  /** null: texts are known under the path, and no document has it. */
  readonly id: string | null;
  readonly path: string;
  /** The document is no longer in the mirror. */
  readonly gone: boolean;
  readonly versions: readonly Version[];
};

export type Restored = Done & {
  readonly n: number;
  /** The document was gone, and comes back as a new one. */
  readonly asNew: boolean;
};

export type Difference = {
  readonly path: string;
  readonly kind: "differs" | "only-local" | "only-service";
  /** Lines that are only here, and only there; null: not read. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
};

/** The two texts of one document; null where a side has none. */
export type TwoTexts = { readonly path: string; readonly live: string | null; readonly local: string | null };

/** Both sides listed, read and hashed, with nothing taken from an earlier look. */
export type Verification = {
  /** Whether they agree, and nothing was left unseen. */
  readonly agree: boolean;
  readonly documents: readonly {
    readonly path: string;
    readonly id: string;
    readonly sha256: string;
    /** Bytes in UTF-8. */
    readonly size: number;
  }[];
  /** Equal but for line ends, byte order mark or final newline, as linked. */
  readonly dressed: readonly string[];
  readonly differing: readonly { readonly path: string; readonly id: string; readonly why: string }[];
  readonly onlyLocal: readonly string[];
  readonly onlyService: readonly { readonly path: string; readonly id: string }[];
  readonly blocked: readonly { readonly path: string; readonly reason: string; readonly detail: string }[];
  readonly unseen: readonly { readonly path: string; readonly why: string }[];
};

/**
 * One mirrored folder. Each call does what the command of its name does, beside commands and other
 * processes: between two calls nothing is locked and nothing is remembered. Paths are below the
 * folder, with `/`. All calls reject with `MdmirrorError` alone, but for faults of mdmirror itself.
 */
export type Mirror = {
  /** The mirrored folder: absolute, without links. */
  readonly root: string;
  /** How it stands, by the state alone: no network, no look at the files, nothing written. */
  status(): Promise<StatusReport>;
  /**
   * Looks at both sides, and tells what a sync would do. Writes nothing anywhere.
   * @throws `offline` when the service is not reached or refuses the key
   */
  plan(): Promise<MirrorPlan>;
  /**
   * Brings both sides together, once. Where a watch of any process keeps the folder, it is asked
   * to. What stays open is in the report, not thrown: `offline` too.
   */
  sync(options?: SyncOptions): Promise<SyncReport>;
  /**
   * Keeps the folder in sync, until the loop over its events is left, `stop` is called, the signal
   * aborts, or the mirror is closed. No other process may watch it. It sends no notes to the
   * desktop and no word to systemd, and handles no signals of the process.
   */
  watch(options?: { readonly signal?: AbortSignal }): MirrorWatch;
  /**
   * Lets what a guard stopped go, with the next `sync`: just what the plan shows.
   * @throws code `safety-stop-changed` when more is stopped by now
   */
  approve(plan: MirrorPlan): Promise<SafetyStopAnswer>;
  /** Brings back what a guard stopped; what was to go stays, on both sides. @throws as `approve` */
  reject(plan: MirrorPlan): Promise<SafetyStopAnswer>;
  /** What waits for a choice: conflicts, and what is held until somebody acts. No network. */
  conflicts(): Promise<{ readonly conflicts: readonly OpenConflict[]; readonly blocked: readonly OpenBlockedPath[] }>;
  /**
   * Ends a conflict or a hold by a choice. What gives way stays in the trash and the history; the
   * next `sync` sends what has to travel.
   * @throws `usage` when nothing is open at the path, or this choice does not end it
   */
  resolve(path: string, choice: Choice): Promise<Done>;
  /**
   * The same for all that `conflicts` lists, or for what lies at these paths, in these folders, or
   * matches these patterns (those of the ignore rules). What cannot be ended is left, and told.
   * @throws `usage` when nothing is open there
   */
  resolveMany(choice: ManyChoice, paths?: readonly string[]): Promise<DoneMany>;
  /** All texts of a document, by its path now or before, or its id. No network. */
  history(path: string): Promise<History>;
  /** A text of the history. @param n as `history` counts; without it the newest */
  show(path: string, n?: number): Promise<string>;
  /**
   * Puts an earlier text back, as an edit that the next `sync` sends; a deleted document comes back
   * as a new one. What gives way stays in the trash and the history.
   * @param n as `history` counts; without it the last text that is not the one that is there
   */
  restore(path: string, n?: number): Promise<Restored>;
  /**
   * Puts each document at these paths, in these folders, or that match these patterns, back to what
   * it was then; what was deleted since comes back as a new one. Without a time: the last text of
   * what was deleted, and nothing else.
   * @throws `usage` when one of them names no document
   */
  restoreMany(paths: readonly string[], asOf?: Date): Promise<DoneMany>;
  /** The documents that the two sides do not hold alike. @throws `offline` */
  differences(): Promise<readonly Difference[]>;
  /** The text of one document on both sides. @throws `offline`; `usage` when it is on neither */
  diff(path: string): Promise<TwoTexts>;
  /** Reads and hashes every document of both sides. Writes nothing. @throws `offline` */
  verify(): Promise<Verification>;
  /** Ends its watches, and resolves when nothing of it is under way. Later calls are refused. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};
