/** Interfaces to the log, the progress display and the stop signal of running work. */
import type { Action } from "../model/action.ts";

export interface Log {
  /** False if the log drops lines of level `debug`. Callers then need not make these lines. */
  readonly debug?: boolean;
  /** Writes a log line. The fields must not contain content or a key (I30). */
  write<Fields extends LogFields>(
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Fields & OnlyLogFields<Fields>,
  ): void;
}

/** Shows the progress of long work in a terminal. `total`: null while unknown. */
export interface Progress {
  report(phase: "recover" | "scan" | "list" | "plan" | "apply", done: number, total: number | null): void;
  /** Called when a step begins and when it ends. Both calls get the same action object. */
  step?(action: Action, has: "begun" | "ended"): void;
}

/**
 * Runs work that a user can stop. After the signal aborts, steps that have begun are completed, and
 * no other step begins.
 */
export type Stoppable = <T>(
  work: (stop: AbortSignal) => Promise<T>,
) => Promise<{ readonly value: T; readonly isStopped: boolean }>;

type LogValues = {
  readonly count: number;
  readonly flag: boolean;
  /** A fixed word of mdmirror or of the API, such as `delete-remote` or `file_not_found`. */
  readonly word: string;
  /** An id that the service has given, such as `doc_…`, or the id of a request. */
  readonly ident: string;
  /** Path of a file, folder or request; never content. */
  readonly place: string;
  /** An error message, of which the log keeps only the names of system errors. */
  readonly errors: string;
};

export type LogForm = keyof LogValues;
export type LogValue = LogValues[LogForm];

/**
 * Fields that a log line may have, with the form of their values. No field has free text, such as
 * the message of an exception, because free text may repeat content of a document (I30). The state
 * file keeps the complete text for users.
 */
export const LOG_FIELDS = {
  accepted: "count",
  action: "word",
  attempt: "count",
  attention: "count",
  blocked: "count",
  byPolicy: "count",
  cause: "word",
  changeId: "ident",
  code: "word",
  conflicts: "count",
  count: "count",
  createdLocal: "count",
  createdRemote: "count",
  deletedLocal: "count",
  deletedRemote: "count",
  detail: "errors",
  downloaded: "count",
  errno: "word",
  events: "count",
  folders: "count",
  id: "ident",
  level: "word",
  merged: "count",
  method: "word",
  movedLocal: "count",
  movedRemote: "count",
  ms: "count",
  outcome: "word",
  cycles: "count",
  path: "place",
  paused: "flag",
  phase: "word",
  pid: "count",
  polling: "flag",
  reason: "word",
  requestId: "ident",
  respelled: "count",
  root: "place",
  route: "place",
  run: "count",
  runs: "count",
  side: "word",
  signal: "word",
  state: "word",
  status: "count",
  submitted: "count",
  texts: "count",
  uploaded: "count",
  versions: "count",
  waitMs: "count",
  what: "word",
  why: "errors",
} as const satisfies Readonly<Record<string, LogForm>>;

type LogFieldName = keyof typeof LOG_FIELDS;

/** Values for the fields of a log line. A field with the value null is not logged. */
export type LogFields = {
  readonly [Name in LogFieldName]?: LogValues[(typeof LOG_FIELDS)[Name]] | null;
};

/**
 * Makes the compiler refuse fields that are not in `LOG_FIELDS`. Without this type, TypeScript
 * would accept such fields in a spread object.
 */
type OnlyLogFields<Fields> = { readonly [Name in Exclude<keyof Fields, LogFieldName>]: never };
