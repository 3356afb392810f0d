import { count } from "../../common/count.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { ok, trouble } from "../../common/trouble.ts";
import { NOT_BEGUN } from "../../mirror/model/not-begun.ts";
import { splitVersion } from "../../mirror/operations/history/history.ts";
import { type RestoreItem, type RestorePlan, restore } from "../../mirror/operations/history/restore.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { locateDocuments, operationCommand } from "../operation-command.ts";
import { leftAloneLines, countsOf, countsLine, undoLine } from "../show-many.ts";

export const command = operationCommand(restore, {
  operands: { usage: "PATH[@N] | ID[@N] | FOLDER | 'GLOB' …", least: 1, most: 10_000 },
  examples: ["mdmirror restore plan.md@3", "mdmirror restore 'work/**' --as-of 2h --dry-run"],
  locate(io, { operands }) {
    const wanted = operands.map(splitVersion);
    if (wanted.length > 1 && wanted.some(({ n }) => n !== null))
      return trouble("usage", "PATH@N is one version of one document", "give no other path");
    const located = locateDocuments(
      io,
      wanted.map(({ path }) => path),
    );
    if (located.kind === "trouble") return located;
    const { root, paths } = located.value;
    return ok({ root, input: { paths, n: wanted[0]!.n ?? undefined } });
  },
  question({ items }) {
    const able = items.filter(({ kind }) => kind === "put-back").length;
    return able <= 1 ? null : `restore ${count(able)} documents?`;
  },
  planLines,
  showDone(io, { isOne }, { run, items }) {
    if (isOne) {
      const [{ path, n, notes }] = items as readonly [(typeof items)[number]];
      io.out(`${shownName(path)}: version ${n} is restored`);
      for (const note of notes) io.out(`  ${shownWords(note)}`);
      return;
    }
    for (const { path, end, why } of items)
      if (end === "failed" && why !== NOT_BEGUN) io.err(`${shownName(path)}: not done: ${shownWords(why)}`);
    io.out(countsLine(countsOf(items), "restored"));
    if (run !== null) io.out(undoLine(run));
  },
});

function planLines({ isOne, asOf, items }: RestorePlan, isDryRun: boolean): readonly string[] {
  const planned = items.filter((item) => item.kind === "put-back");
  if (isOne) return isDryRun ? planned.map((item) => `${versionLine(item, ": ", " would be restored")}`) : [];
  const when = asOf === null ? "deleted documents" : `state at ${localTime(asOf)}`;
  if (items.length === 0) return [`${when}: nothing to restore`];
  const lines = planned.map((item) => `  ${versionLine(item, "  ", "")}`);
  return [`${when}:`, ...lines, ...leftAloneLines(items.filter((item) => item.kind === "left"))];
}

function versionLine(
  { path, entry, asNew }: Extract<RestoreItem, { kind: "put-back" }>,
  between: string,
  verb: string,
): string {
  const how = asNew ? ", as a new document" : "";
  return `${shownName(path)}${between}version ${entry.n} of ${localTime(entry.at)}${verb}${how}`;
}
