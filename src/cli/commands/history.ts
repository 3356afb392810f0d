import type { Disk } from "../../mirror/ports/disk.ts";
import type { KnownPlace } from "../../mirror/operations/history/find-document.ts";
import type { partsClause as PartsClauseOf } from "../../mirror/operations/results/merge-parts.ts";
import type { Deletion, HistoryEntry } from "../../mirror/operations/history/history.ts";
import type { entryAt as EntryAt } from "../../mirror/operations/history/find-version.ts";
import type { Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { locateDocument } from "../locate-document.ts";
import { useLocal } from "../use-mirror.ts";
import { bytes, localTime } from "../../mirror/operations/results/when.ts";
import { columns } from "../when.ts";
import { jsonLine } from "../json-line.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { readMoment } from "../../mirror/operations/history/as-of.ts";
import { showMerge } from "../show-merge.ts";
import { partsClause } from "../../mirror/operations/results/merge-parts.ts";
import { findVersion } from "../../mirror/operations/history/find-version.ts";
import { entryAt } from "../../mirror/operations/history/find-version.ts";
import { readDeletion } from "../../mirror/operations/history/history.ts";

export const command: Command = {
  usage: "history PATH|ID [--as-of TIME | --origins N] [--json]",
  about: [
    "Lists the versions of a document that mdmirror has seen, oldest first; also of a deleted document, and under earlier names.",
    "N counts from the oldest version, so that it stays the same when newer ones arrive: show PATH@N, diff PATH@N, restore PATH@N.",
    "A merged version is marked with the versions that it was made from.",
  ],
  examples: ["mdmirror history plan.md", "mdmirror history plan.md --as-of 3d"],
  options: {
    "as-of": { value: "TIME", help: "only the version at that time (2h, 3d, 2026-11-22, 2026-11-22T09:30)" },
    origins: {
      value: "N",
      help: "show which side each line of the merged version N came from: M (mine), T (theirs) or B (both)",
    },
    json: { help: "print one JSON object" },
  },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const place = locateDocument(io, args.operands[0]!);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const { root, name } = place.value;
    const asked = args.text("as-of");
    const asOf = asked === null ? null : readMoment(asked, io.clock.now());
    if (asked !== null && asOf === null)
      return misuse(io, "history", `--as-of takes a past time, such as 2h, 3d or 2026-11-22T09:30, not ${asked}`);
    const merged = args.text("origins");
    if (asked !== null && merged !== null) return misuse(io, "history", "--as-of and --origins exclude each other");
    if (merged !== null && !/^[1-9]\d{0,8}$/.test(merged)) {
      io.err(`mdmirror history: --origins ${merged} is not the number of a version`);
      return EXIT.usage;
    }
    if (merged !== null) {
      return useLocal(io, root, (local) => showMerge(io, local, name, Number(merged), args.flag("json")));
    }
    return showHistory(io, root, name, asOf, args.flag("json"));
  },
};

/** Shows the versions of a document, or with `asOf` the version of that time. */
async function showHistory(io: Io, root: string, name: string, asOf: number | null, json: boolean): Promise<ExitCode> {
  return useLocal(io, root, ({ state, disk }) => {
    const found = findVersion({ state }, name, null);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const { document, entries } = found.value;
    const { id, path, link } = document;
    const shown = asOf === null ? entries : shownAt(document, entries, asOf, entryAt);
    if (typeof shown === "string") {
      io.err(`mdmirror: ${shownName(path)} at ${localTime(asOf!)}: ${shown}`);
      io.err(`  next: mdmirror history ${shellWord(name)}`);
      return EXIT.usage;
    }
    const deleted = readDeletion(state, document);
    if (json) {
      io.out(jsonLine({ id, path, gone: link === null, deleted, versions: shown }));
      return EXIT.inSync;
    }
    for (const line of versionLines(document, entries, digestOfFile(disk, document), partsClause, shown)) io.out(line);
    if (deleted !== null && asOf === null) io.out(deletionLine(deleted));
    return EXIT.inSync;
  });
}

/** Returns the digest of a document's file; null when it has none. */
function digestOfFile(disk: Pick<Disk, "look">, { link, path }: KnownPlace): string | null {
  const look = disk.look(path);
  return link !== null && look.kind === "file" ? look.digest : null;
}

type PartsClause = typeof PartsClauseOf;

function deletionLine({ at, run, what }: Deletion): string {
  const by = run === null ? "" : ` by run ${run}`;
  return `deleted ${localTime(at)}${by}${what === null ? "" : `: ${shownWords(what)}`}`;
}

/**
 * Returns the version at that time, as `restore --as-of` finds it. If there is none, returns the
 * reason as a clause.
 */
function shownAt(
  { link, tombstone }: KnownPlace,
  entries: readonly HistoryEntry[],
  asOf: number,
  entryAt: typeof EntryAt,
): readonly HistoryEntry[] | string {
  if (link === null && tombstone !== null && tombstone.at <= asOf) return "it was deleted by then";
  const entry = entryAt(entries, asOf);
  return typeof entry === "string" ? entry : [entry];
}

/**
 * Returns the name of the document and a line for each shown version.
 * @param now digest of the local file; null if the document has no file
 * @param shown versions that are shown
 */
function versionLines(
  { id, path, link }: KnownPlace,
  entries: readonly HistoryEntry[],
  now: string | null,
  partsClause: PartsClause,
  shown: readonly HistoryEntry[],
): string[] {
  const last = entries.findLast(({ digest }) => digest === now);
  const rows = shown.map((entry) => {
    const { merge, n } = entry;
    const merged = merge === null ? "" : `  (merged from ${partsClause(merge, entries.slice(0, n))})`;
    return row(entry, entry === last, merged);
  });
  const gone = id !== null && link === null ? "  (gone)" : "";
  return [`${shownName(path)}  ${id ?? "(no document at this path now)"}${gone}`, ...columns(rows)];
}

function row({ n, at, size, from, what, other }: HistoryEntry, isNow: boolean, merged: string): string[] {
  const kept = bytes(size, "no longer in the history");
  return [
    `@${n}`,
    at <= 0 ? "before" : localTime(at),
    from,
    kept,
    `${shownWords(what)}${merged}${other === null ? "" : `  (a version of ${shownName(other)}, which was at this path then)`}${isNow ? "  (local)" : ""}`,
  ];
}
