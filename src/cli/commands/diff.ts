import type { DiffRow } from "../../mirror/operations/history/diff.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror, locate } from "../find-mirror.ts";
import { REACH_OPTIONS, reachOf, useLocal, useMirror } from "../use-mirror.ts";
import { jsonLine } from "../json-line.ts";
import { shownName } from "../../common/shown-name.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { splitVersion } from "../../mirror/operations/history/history.ts";
import { listDifferences, readBothSides } from "../../mirror/operations/history/diff.ts";
import { faultTrouble } from "../../mirror/folder/fault-trouble.ts";
import { columns } from "../when.ts";
import { locateDocument } from "../locate-document.ts";
import { showMerge } from "../show-merge.ts";
import { readConflictLines } from "../../mirror/operations/history/conflict-lines.ts";
import { showConflictLines } from "../show-conflict-lines.ts";
import { findVersion } from "../../mirror/operations/history/find-version.ts";
import { countLines, diffLines } from "../../markdown/merge/line-diff.ts";
import { unifiedLines } from "../show-hunks.ts";

export const command: Command = {
  usage: "diff [DIR | PATH | PATH@N] [--origins] [--json]",
  about: [
    "Without PATH: lists the documents that differ from the service, with counts of lines.",
    "With PATH: prints a unified diff (- on the service, + local). With PATH@N: - is version N, + is local.",
    "For a document in conflict it prints the lines that merge (M mine, T theirs, B both) and those that do not (!).",
    "Writes nothing. Exit codes: 0 if both are equal, 3 if they differ.",
  ],
  examples: ["mdmirror diff", "mdmirror diff plan.md", "mdmirror diff plan.md@3"],
  options: {
    json: { help: "print one JSON object, without content" },
    origins: { help: "show which side each line of PATH@N, or of the last merged version, came from; exits 0" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const [name] = args.operands;
    const namesOne = name !== undefined && NAMES_DOCUMENT.test(name);
    if (args.flag("origins") && !namesOne) {
      io.err("mdmirror diff: --origins needs a document: PATH.md or PATH.md@N");
      return EXIT.usage;
    }
    if (!namesOne) return list(io, args, name);
    const { path, n } = splitVersion(name);
    if (args.flag("origins")) return showOrigins(io, args, path, n);
    return n === null ? showOne(io, args, path) : showVersion(io, args, path, n);
  },
};

/**
 * Matches an operand that names a document, with or without a version. Any other operand names a
 * folder.
 */
const NAMES_DOCUMENT = /(?:\.md|^doc_[\w-]+)(?:@\d+)?$/;

async function list(io: Io, args: Args, dir: string | undefined): Promise<ExitCode> {
  const root = findMirror(io, dir);
  if (root.kind === "trouble") return complain(io, root.trouble);
  const json = args.flag("json");
  const use = { mode: "read", what: "diff", quiet: json, ...reachOf(args) } as const;
  return useMirror(io, root.value, use, async (mirror) => {
    const found = await listDifferences(mirror);
    if (found.kind === "offline") return complain(io, faultTrouble(found.fault, mirror.url));
    if (json) io.out(jsonLine({ documents: found.rows }));
    else for (const line of await rowLines(found.rows)) io.out(line);
    return found.rows.length === 0 ? EXIT.inSync : EXIT.attention;
  });
}

const WORDS: Readonly<Record<DiffRow["kind"], string>> = {
  differs: "",
  "only-local": "only local",
  "only-service": "only on the service",
};

async function rowLines(rows: readonly DiffRow[]): Promise<string[]> {
  if (rows.length === 0) return ["both sides are equal"];
  return columns(
    rows.map(({ path, kind, lines }) => [
      shownName(path),
      lines === null ? WORDS[kind] || "differs" : `+${lines.added} -${lines.removed}`,
    ]),
  );
}

async function showOrigins(io: Io, args: Args, name: string, n: number | null): Promise<ExitCode> {
  const place = locateDocument(io, name);
  if (place.kind === "trouble") return complain(io, place.trouble);
  const { root, name: known } = place.value;
  return useLocal(io, root, (local) => showMerge(io, local, known, n, args.flag("json")));
}

async function showOne(io: Io, args: Args, name: string): Promise<ExitCode> {
  const place = locate(io, name);
  if (place.kind === "trouble") return complain(io, place.trouble);
  const use = { mode: "read", what: "diff", quiet: true, ...reachOf(args) } as const;
  return useMirror(io, place.value.root, use, async (mirror) => {
    const both = await readBothSides(mirror, place.value.path);
    if (both.kind === "trouble") return complain(io, both.trouble);
    const { path, live, local } = both.value;
    const meeting = readConflictLines(mirror.world, both.value);
    if (meeting !== null) {
      const shown = showConflictLines(io, path, meeting, args.flag("json"));
      if (shown !== null) return shown;
    }
    const names = { before: live === null ? null : `service/${path}`, after: local === null ? null : `local/${path}` };
    const { disk } = mirror.world;
    const shown = (text: string | null) => disk.shown?.(path, text ?? "") ?? text ?? "";
    return show(io, args, names, shown(live), shown(local));
  });
}

async function showVersion(io: Io, args: Args, name: string, n: number): Promise<ExitCode> {
  const place = locateDocument(io, name);
  if (place.kind === "trouble") return complain(io, place.trouble);
  const texts = { path: "", before: "", after: null as string | null };
  const exit = await useLocal(io, place.value.root, ({ state, disk }) => {
    const found = findVersion({ state }, place.value.name, n);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const { document, entry } = found.value;
    const text = state.text(entry.digest);
    if (text === null) {
      io.err(`mdmirror: the content of version ${n} is no longer in the history`);
      io.err(`  next: mdmirror history ${shellWord(name)} lists the remaining versions`);
      return EXIT.usage;
    }
    const read = disk.read(document.path);
    texts.path = document.path;
    texts.before = disk.shown?.(document.path, text) ?? text;
    texts.after = read.kind === "done" ? (disk.shown?.(document.path, read.value.text) ?? read.value.text) : null;
    return EXIT.inSync;
  });
  if (exit !== EXIT.inSync) return exit;
  const names = { before: `version ${n}/${texts.path}`, after: texts.after === null ? null : `local/${texts.path}` };
  return show(io, args, names, texts.before, texts.after ?? "");
}

function nameOf(name: string | null): string {
  return name === null ? "nothing" : shownName(name);
}

async function show(
  io: Io,
  args: Args,
  names: { readonly before: string | null; readonly after: string | null },
  before: string,
  after: string,
): Promise<ExitCode> {
  const same = before === after && (names.before === null) === (names.after === null);
  if (args.flag("json")) io.out(jsonLine({ ...names, same, ...countLines(before, after) }));
  // Printed on standard error, because an empty patch has no lines on standard output.
  else if (same) io.err(`mdmirror: ${[names.before, names.after].map(nameOf).join(" and ")} are equal`);
  else {
    // In a pipe, the patch is written byte for byte.
    const put = io.terminal.output ? io.out : (line: string) => io.text(`${line}\n`);
    for (const line of unifiedLines(io, names, diffLines(before, after))) put(line);
  }
  return same ? EXIT.inSync : EXIT.attention;
}
