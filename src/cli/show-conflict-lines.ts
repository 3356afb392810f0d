import type { ConflictLines } from "../mirror/operations/history/conflict-lines.ts";
import { originSpans } from "../mirror/operations/history/origins.ts";
import { shownName } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { jsonLine } from "./json-line.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { originLines } from "./show-origins.ts";

/**
 * Shows which lines of a document in conflict merge and which do not. If that is not possible,
 * prints the reason and returns null; the caller then shows both versions.
 */
export function showConflictLines(io: Io, path: string, meeting: ConflictLines, json: boolean): ExitCode | null {
  if (meeting.kind !== "parts") {
    if (!json) io.err(`mdmirror: ${shownName(path)} is in conflict: ${whyNot(meeting)}`);
    return null;
  }
  const { rows, conflicts } = meeting;
  if (json) io.out(jsonLine({ path, same: false, conflicts, origins: originSpans(rows) }));
  else {
    io.out(
      `${shownName(path)}: in conflict at ${conflicts} ${conflicts === 1 ? "place" : "places"} (!); the rest merges`,
    );
    for (const line of originLines(io, rows)) io.out(line);
  }
  return EXIT.attention;
}

function whyNot(meeting: Exclude<ConflictLines, { kind: "parts" }>): string {
  switch (meeting.kind) {
    case "merges":
      return "the two edits now merge; the next sync resolves the conflict";
    case "no-base":
      return "the version that both edits started from is no longer in the history";
    case "whole":
      return `a merge of the two edits could be wrong (${meeting.reason}), so mdmirror does not merge them`;
  }
}
