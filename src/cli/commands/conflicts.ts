import { unwrap } from "../../common/trouble.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { conflicts } from "../../mirror/operations/manual/problem-lists.ts";
import { findConflictHunks, findProblem, readThreeVersions } from "../../mirror/operations/manual/problem.ts";
import { formatOrigin } from "../../mirror/operations/results/actions.ts";
import { formatByteCount, formatLocalTime } from "../../mirror/operations/results/times.ts";
import type { Answer } from "../../mirror/operations/define.ts";
import type { CommandEnd, Io } from "../command.ts";
import { EXIT, refuseUsage } from "../exit.ts";
import { locateDocument } from "../find-mirror.ts";
import { choosePaint, formatColumns, formatTimeSince } from "../text.ts";
import { ON_FOLDER, makeReadCommand } from "../operation-command.ts";
import { formatHunks } from "../show-versions.ts";
import { withLocalMirror } from "../use-mirror.ts";

export const command = makeReadCommand(conflicts, {
  ...ON_FOLDER,
  operands: { usage: "[DIR] | show PATH", least: 0, most: 2 },
  examples: ["mdmirror conflicts", "mdmirror conflicts show plan.md"],
  about: [
    "show PATH prints the lines that do not merge: mine (local), theirs (on the service), and base (the last version that both sides had).",
  ],
  runInstead(io, args) {
    const [first, second] = args.operands;
    // The word `show` is never the name of a linked folder; for such a folder, users type `./show`.
    if (second === undefined) return first === "show" ? refuseUsage("show takes PATH") : null;
    return first === "show" ? showConflict(io, second) : refuseUsage("takes one folder, or: show PATH");
  },
  exit: (answer) => (hasNoProblem(answer) ? EXIT.inSync : EXIT.attention),
  lines: (io, answer) =>
    hasNoProblem(answer) ? ["no conflicts and no blocked documents"] : formatConflicts(io, answer),
});

type ConflictList = Answer<(typeof conflicts)["declared"]>;

function hasNoProblem({ conflicts: open, blocked }: ConflictList): boolean {
  return open.length + blocked.length === 0;
}

function formatConflicts(io: Io, { conflicts: open, blocked }: ConflictList): readonly string[] {
  const paint = choosePaint(io);
  const rows = open.map(({ path, since, mine, theirs, inReview, renewed }) => [
    paint.strong(shownName(path)),
    `${paint.asks(inReview ? "in review" : "conflict")} for ${formatTimeSince(io, since)}`,
    `mine ${formatByteCount(mine)}`,
    `theirs ${formatByteCount(theirs, "no longer in the history")}${renewed === 0 ? "" : `, updated ${renewed} times since`}`,
  ]);
  const nextLine =
    "  next: mdmirror conflicts show PATH, then mdmirror resolve PATH --mine | --theirs | --merged FILE | --tool";
  const allLine = "  all: mdmirror resolve --all --mine | --theirs | --merged-where-clean, with --dry-run first";
  return [
    ...formatColumns(rows),
    ...(rows.length > 0 ? [nextLine] : []),
    ...(rows.length > 1 ? [allLine] : []),
    ...blocked.flatMap(({ path, kind, detail, code, requestId, since, next: step }) => [
      `${paint.strong(shownName(path))}  blocked for ${formatTimeSince(io, since)}  ${paint.asks(kind)}: ${shownWords(detail)}${formatOrigin(code, requestId)}`,
      `  next: ${shownWords(step)}`,
    ]),
  ];
}

function showConflict(io: Io, name: string): Promise<CommandEnd> {
  const location = locateDocument(io, name);
  return withLocalMirror(io, location.root, (mirror) => {
    const problem = unwrap(findProblem(mirror, location.path));
    const contents = unwrap(readThreeVersions(mirror, problem));
    const { path, conflict } = problem;
    const hunks = findConflictHunks(contents);
    const lines = formatHunks(io, hunks);
    if (hunks.length === 0) lines.push("the two edits now merge; the next sync resolves the conflict");
    if (conflict !== null) {
      const { since, newestCopyPath } = conflict;
      lines.unshift(
        `${shownName(path)}: in conflict since ${formatLocalTime(since)}; theirs is ${shownName(newestCopyPath)}`,
      );
    }
    return { json: { path, since: conflict?.since ?? null, hunks }, lines, exit: EXIT.attention };
  });
}
