import type { Trouble } from "../../../common/trouble.ts";

/**
 * One result of `doctor`.
 * - `note`: nothing is wrong, but the user should know the fact
 * - `warn`: the fact may cause problems
 * - `bad`: the folder cannot be synced until the user has removed the cause
 */
export type DoctorCheck = {
  readonly about: string;
  readonly state: "good" | "note" | "warn" | "bad";
  readonly detail: string;
  readonly next: string | null;
  readonly fault?: Trouble["kind"];
  /** Sizes in bytes by name, for programs. */
  readonly bytes?: Readonly<Record<string, number>>;
  /**
   * Trait of the service, for programs. `learned`: value that syncs found. `liked`: value with
   * which mdmirror works best.
   */
  readonly trait?: { readonly learned: string; readonly liked: string };
};

export function makePass(about: string, detail: string): DoctorCheck {
  return { about, state: "good", detail, next: null };
}

export function makeNote(about: string, detail: string): DoctorCheck {
  return { about, state: "note", detail, next: null };
}

export function makeWarning(about: string, detail: string, next: string): DoctorCheck {
  return { about, state: "warn", detail, next };
}

export function makeFailure(
  about: string,
  fault: NonNullable<DoctorCheck["fault"]>,
  detail: string,
  next: string,
): DoctorCheck {
  return { about, state: "bad", detail, next, fault };
}
