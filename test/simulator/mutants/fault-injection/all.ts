import { COURSES } from "./courses.ts";
import { CRASHES } from "./crashes.ts";
import { GUARDS } from "./guards.ts";
import { INTRUSIONS } from "./intrusions.ts";
import { LOST_ANSWERS } from "./lost-answers.ts";
import type { FaultTest } from "./stage.ts";

/** The quick tests come first. */
export const FAULT_TESTS = {
  guards: GUARDS,
  courses: COURSES,
  "lost-answers": LOST_ANSWERS,
  intrusions: INTRUSIONS,
  crashes: CRASHES,
} as const satisfies Readonly<Record<string, readonly FaultTest[]>>;

export type Group = keyof typeof FAULT_TESTS;
