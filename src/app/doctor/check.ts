/**
 * One thing that `doctor` looked at. `note`: nothing is wrong, yet it is good to know; `warn`: it
 * may bite; `bad`: the mirror cannot work so.
 */
export type Check = {
  readonly about: string;
  readonly state: "good" | "note" | "warn" | "bad";
  readonly detail: string;
  /** What to do; null when nothing is to be done. */
  readonly next: string | null;
  /**
   * Of a `bad` one: whether the way to the service is what fails, or the user's setup, or the
   * ground.
   */
  readonly fault?: "offline" | "usage" | "fault";
  /** What was measured, for programs: bytes by name. */
  readonly bytes?: Readonly<Record<string, number>>;
  /** Of what was learned of the service, for programs: what it is, and what would be liked. */
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
