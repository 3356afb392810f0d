import { count } from "../../common/count.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { reject } from "../../mirror/operations/manual/answer-stop.ts";
import { REJECTION_WORDS } from "../../mirror/operations/results/stop.ts";
import { operationCommand } from "../operation-command.ts";
import { ANSWER, mostNames, reasonLines } from "./approve.ts";

export const command = operationCommand(reject, {
  ...ANSWER,
  examples: ["mdmirror reject notes"],
  question: () => "undo these changes?",
  planLines(plan, _isDryRun, args) {
    if (plan.kind === "nothing") return reasonLines(plan);
    const most = mostNames(args);
    const groups = [...Map.groupBy(plan.back, ({ kind }) => kind)];
    const lines = groups.flatMap(([kind, all]) => [
      `  ${count(all.length)} × ${kind === "left" ? "left alone" : REJECTION_WORDS[kind]}:`,
      ...all
        .slice(0, most)
        .map((item) => `    ${shownName(item.path)}${item.kind === "left" ? `: ${shownWords(item.why)}` : ""}`),
      ...(all.length > most ? [`    … and ${count(all.length - most)} more`] : []),
    ]);
    return [...reasonLines(plan), ...lines];
  },
  showDone(io, _plan, { next, items }) {
    for (const { path, end, why, notes } of items) {
      for (const note of notes) io.out(`${shownName(path)}: ${shownWords(note)}`);
      if (end !== "done") io.err(`${shownName(path)}: left alone: ${shownWords(why)}`);
    }
    const back = items.filter(({ end }) => end === "done").length;
    io.out(`rejected: ${count(back)} restored; ${next === "daemon" ? "the daemon syncs now" : "next: mdmirror sync"}`);
  },
});
