import { writeFileSync } from "node:fs";
import type { MirrorStatus } from "../mirror/folder/status.ts";
import { errnoClause, isDiskFull, refuse, type Trouble } from "../common/trouble.ts";
import { formatOrigin } from "../mirror/operations/results/actions.ts";
import { shownWords } from "../common/shown-words.ts";

export const EXIT = {
  inSync: 0,
  fault: 1,
  usage: 2,
  attention: 3,
  stopped: 4,
  offline: 5,
  locked: 6,
  inReview: 7,
  tooSlow: 8,
  diskFull: 9,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "in sync, or done",
  1: "error in mdmirror itself",
  2: "wrong usage or configuration",
  3: "done, but action is required",
  4: "stopped by a safety check: mdmirror approve or mdmirror reject",
  5: "service unreachable, or key refused",
  6: "locked by another process",
  7: "uploaded, but in review",
  8: "timed out",
  9: "disk full",
};

export const EXIT_BY_STATE: Readonly<Record<MirrorStatus["state"], ExitCode>> = {
  "in-sync": EXIT.inSync,
  never: EXIT.attention,
  attention: EXIT.attention,
  stopped: EXIT.stopped,
  offline: EXIT.offline,
};

export function pickWorstExit(codes: readonly ExitCode[]): ExitCode {
  const { fault, diskFull, usage, locked, stopped, offline, tooSlow, attention, inReview } = EXIT;
  const codesByUrgency = [fault, diskFull, usage, locked, stopped, offline, tooSlow, attention, inReview];
  return codesByUrgency.find((code) => codes.includes(code)) ?? EXIT.inSync;
}

const EXIT_BY_KIND: Readonly<Record<Trouble["kind"], ExitCode>> = {
  usage: EXIT.usage,
  fault: EXIT.fault,
  locked: EXIT.locked,
  offline: EXIT.offline,
};

/** Exit codes for some error codes. Other errors get the exit code of the error's kind. */
const EXIT_BY_CODE: ReadonlyMap<string | null, ExitCode> = new Map([
  // Both errors leave the linked folder stopped. `lost-root`: the folder is missing or replaced, so
  // no command may write. `nothing-to-reject`: the stop has no changes that `reject` can undo.
  ["lost-root", EXIT.stopped],
  ["nothing-to-reject", EXIT.stopped],
  ["edit_conflict", EXIT.attention],
]);

type ErrorOutput = { err(line: string): void };

/** Prints an error and the next step for the user. Returns the exit code for the error. */
export function reportTrouble(io: ErrorOutput, trouble: Trouble): ExitCode {
  io.err(`mdmirror: ${shownWords(trouble.what)}${formatOrigin(trouble.code ?? null, trouble.requestId ?? null)}`);
  io.err(`  next: ${shownWords(trouble.next)}`);
  return findExitOfTrouble(trouble);
}

export function findExitOfTrouble({ kind, code = null }: Pick<Trouble, "kind" | "code">): ExitCode {
  if (kind === "fault" && isDiskFull(code)) return EXIT.diskFull;
  return EXIT_BY_CODE.get(code) ?? EXIT_BY_KIND[kind];
}

/**
 * Returns the message of an internal error, or the error's stack trace if `MDMIRROR_DEBUG` is set.
 */
export function describeFault({ env }: { readonly env: Readonly<Record<string, string | undefined>> }, error: unknown) {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return env["MDMIRROR_DEBUG"] === undefined ? message : stack;
}

/** An error in the arguments of a command. The error message is a clause. */
export class UsageError extends Error {}

/** Ends a command because of wrong arguments. `why`: reason as a clause. */
export function refuseUsage(why: string): never {
  throw new UsageError(why);
}

/** Writes content to a new file that the user named. Never overwrites a file. */
export function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EEXIST" ? "it exists already" : errnoClause(error);
    refuse(`${path} cannot be written: ${reason}`, "give another file");
  }
}
