import type { FailedHook } from "../app/hooks/failed.ts";
import { ageText } from "../model/age.ts";
import { shownWords } from "../model/shown-name.ts";
import type { Io } from "./command.ts";

/** What `status` says of hooks that failed, which changes nothing of how the mirror stands. */
export function showFailedHooks(io: Io, hooks: readonly FailedHook[]): void {
  const now = io.clock.now();
  for (const { name, event, at, why, off } of hooks) {
    io.out(`the hook "${name}" failed ${ageText(now - at)} ago on ${event}: ${shownWords(why)}`);
    io.out(
      off
        ? "  it is told nothing more until it is changed; next: mdmirror hooks"
        : `  next: mdmirror hooks test ${name}`,
    );
  }
}
