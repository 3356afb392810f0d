import type { Trouble } from "../../../common/trouble.ts";

/**
 * One result of `doctor`. `note`: nothing is wrong, but users should know it; `warn`: it may cause
 * problems; `bad`: the folder cannot be synced until the cause is fixed.
 */
export type Check = {
  readonly about: string;
  readonly state: "good" | "note" | "warn" | "bad";
  readonly detail: string;
  /** Next step for the user; null if no step is needed. */
  readonly next: string | null;
  /** Cause of a `bad` result, as a kind of trouble. */
  readonly fault?: Trouble["kind"];
  /** Measured sizes for programs: bytes by their names. */
  readonly bytes?: Readonly<Record<string, number>>;
  /** Learned trait of the service for programs. `liked`: the value that mdmirror prefers. */
  readonly trait?: { readonly learned: string; readonly liked: string };
};

export function good(about: string, detail: string): Check {
  return { about, state: "good", detail, next: null };
}

export function note(about: string, detail: string): Check {
  return { about, state: "note", detail, next: null };
}

export function warn(about: string, detail: string, next: string): Check {
  return { about, state: "warn", detail, next };
}

export function bad(about: string, fault: NonNullable<Check["fault"]>, detail: string, next: string): Check {
  return { about, state: "bad", detail, next, fault };
}
