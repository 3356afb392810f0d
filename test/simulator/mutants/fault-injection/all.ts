import { COURSES } from "./courses.ts";
import { CRASHES } from "./crashes.ts";
import { GUARDS } from "./guards.ts";
import { INTRUSIONS } from "./intrusions.ts";
import { LOST_ANSWERS } from "./lost-answers.ts";
import type { Drill } from "./stage.ts";

/** The quick tests come first. */
export const DRILLS = {
  guards: GUARDS,
  courses: COURSES,
  "lost-answers": LOST_ANSWERS,
  intrusions: INTRUSIONS,
  crashes: CRASHES,
} as const satisfies Readonly<Record<string, readonly Drill[]>>;

export type Group = keyof typeof DRILLS;
