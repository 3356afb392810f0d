import { count } from "../../common/count.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { reject } from "../../mirror/operations/manual/answer-stop.ts";
import { operationCommand } from "../operation-command.ts";
import { ANSWER, stopLines } from "./approve.ts";

export const command = operationCommand(reject, {
  ...ANSWER,
  examples: ["mdmirror reject notes"],
  question: () => "undo these changes?",
  planLines: (plan, _isDryRun, args) => stopLines(reject.preview(plan), args),
  showDone(io, _plan, { next, items }) {
    for (const { path, end, why, notes } of items) {
      for (const note of notes) io.out(`${shownName(path)}: ${shownWords(note)}`);
      if (end !== "done") io.err(`${shownName(path)}: left alone: ${shownWords(why)}`);
    }
    const back = items.filter(({ end }) => end === "done").length;
    io.out(`rejected: ${count(back)} restored; ${next === "daemon" ? "the daemon syncs now" : "next: mdmirror sync"}`);
  },
});
