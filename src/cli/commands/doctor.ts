import { onFolder } from "../find-mirror.ts";
import type { Check } from "../../mirror/operations/doctor/check.ts";
import { type Command, worldOf } from "../command.ts";
import { EXIT, type ExitCode, exitOfTrouble, worstExit } from "../exit.ts";
import { showResult } from "../show-result.ts";
import { shownWords } from "../../common/shown-name.ts";
import { KEY_OPTION } from "../use-mirror.ts";
import { examine } from "../../mirror/operations/doctor/examine.ts";

export const command: Command = {
  about: [
    "Checks the URL, the key, the clock, the state file and the size of the history. Checks the disk, the limits of inotify, and other sync tools on the same folder. Names how the service differs from the documented API.",
    "Exit codes: 0 good, 3 for a warning, otherwise that of the first check that failed.",
  ],
  examples: ["mdmirror doctor notes"],
  options: {
    json: { help: "print one JSON object" },
    ...KEY_OPTION,
  },
  ...onFolder(async (io, args, root) => {
    const checks = await examine(root, { ...worldOf(io), keyFile: args.text("key-file") });
    return showResult(io, args.flag("json"), {
      json: { checks: checks.map(({ fault: _fault, ...shown }) => shown) },
      lines: checks.flatMap(({ about, state, detail, next }) => [
        `${MARKS[state]} ${about}: ${shownWords(detail)}`,
        ...(next === null ? [] : [`    next: ${shownWords(next)}`]),
      ]),
      exit: worstExit(checks.map(exitOf)),
    });
  }),
};

const MARKS: Readonly<Record<Check["state"], string>> = { good: "ok  ", note: "note", warn: "WARN", bad: "BAD " };

function exitOf({ state, fault }: Check): ExitCode {
  if (state === "bad") return exitOfTrouble({ kind: fault ?? "fault" });
  return state === "warn" ? EXIT.attention : EXIT.inSync;
}
