import type { FailedHook } from "../mirror/hooks/failed.ts";
import { ageText } from "../common/age.ts";
import { shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";

/** Prints hooks that failed. A failed hook does not change the state of the folder. */
export function showFailedHooks(io: Io, hooks: readonly FailedHook[]): void {
  const now = io.clock.now();
  for (const { name, event, at, why } of hooks) {
    io.out(`the hook "${name}" failed ${ageText(now - at)} ago on ${event}: ${shownWords(why)}`);
    io.out(`  next: mdmirror hooks test ${name}`);
  }
}
