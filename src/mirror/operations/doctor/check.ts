/**
 * One thing that `doctor` examined. `note`: nothing is wrong, but it is good to know; `warn`: it
 * may cause trouble; `bad`: the mirror cannot work like this.
 */
export type Check = {
  readonly about: string;
  readonly state: "good" | "note" | "warn" | "bad";
  readonly detail: string;
  /** What to do; null when nothing is to be done. */
  readonly next: string | null;
  /**
   * For `bad`: whether the service cannot be reached, the user's setup is wrong, or the machine is
   * at fault.
   */
  readonly fault?: "offline" | "usage" | "fault";
  /** Sizes that were measured, for programs: bytes by name. */
  readonly bytes?: Readonly<Record<string, number>>;
  /** What was learned of the service, for programs, beside what mdmirror would like. */
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
