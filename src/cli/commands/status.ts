import { TroubleError } from "../../common/trouble.ts";
import { realpathSync } from "node:fs";
import { ageText } from "../../common/age.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import type { DaemonStatus } from "../../mirror/daemon/control/protocol.ts";
import type { FolderStatus, MirrorWord } from "../../mirror/folder/status.ts";
import { mirrorMetrics } from "../../mirror/folder/metrics.ts";
import { ageOf, readFolderStatus, type StatusReading } from "../../mirror/folder/status.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { statusJson } from "../../mirror/operations/results/status.ts";
import type { Args, Command, Io } from "../command.ts";
import { EXIT, EXIT_OF_STATE, type ExitCode, exitOfTrouble, misuse, refuse, worstExit } from "../exit.ts";
import { findMirror, nearest, ONE_FOLDER } from "../find-mirror.ts";
import { lastSyncLine, readAll, statusLines } from "../show-status.ts";
import { showResult } from "../show-result.ts";
import { columns, type Paint, paintFor } from "../text.ts";

export const command: Command = {
  about: [
    "Reads the stored state, and asks the daemon if one is running. Uses no network, reads no documents and writes nothing.",
    "With --all, prints one line for each linked folder (with --json: one array). The exit code is the most serious one.",
  ],
  examples: ["mdmirror status", "mdmirror status --all", "mdmirror status notes --max-age 15m"],
  options: {
    all: { help: "every linked folder of this user, including missing ones" },
    short: { help: "one line for prompts and status bars; prints nothing and exits 2 outside of a linked folder" },
    json: { help: "print one JSON object" },
    prometheus: { help: "print metrics for Prometheus's textfile collector; always exits 0" },
    "max-age": { value: "TIME", isTime: true, help: "exit 3 if the last sync is older than TIME (90s, 15m, 6h, 2d)" },
  },
  operands: ONE_FOLDER,
  async run(io, args): Promise<ExitCode> {
    refuseMisuse(args);
    const [dir] = args.operands;
    const flags = { json: args.flag("json"), maxAge: args.ms("max-age") };
    // A prompt runs in any folder, so it is not an error if the folder is not linked.
    if (args.flag("short") && dir === undefined && nearest(io, io.cwd).root === null) return EXIT.usage;
    const root = args.flag("all") ? null : findMirror(io, dir);
    if (args.flag("prometheus")) return showMetrics(io, root === null ? null : realpathSync(root));
    if (root === null) return showAll(io, flags);
    return args.flag("short") ? showShort(io, root, flags.json) : showOne(io, root, flags);
  },
};

function refuseMisuse(args: Args): void {
  const isAged = args.text("max-age") !== null;
  if (args.flag("short") && (args.flag("all") || args.flag("prometheus") || isAged))
    misuse("--short can be combined with --json only");
  if (args.flag("all") && args.operands.length > 0) misuse("it takes a folder or --all, not both");
  if (args.flag("prometheus") && (args.flag("json") || isAged))
    misuse("--prometheus goes with neither --json nor --max-age");
}

type Flags = {
  readonly json: boolean;
  /** Milliseconds; null without `--max-age`. */
  readonly maxAge: number | null;
};

/** Returns true if the last proven sync is older than `--max-age`. */
function isTooOld(reading: StatusReading, { maxAge }: Flags, now: number): boolean {
  return (
    maxAge !== null && reading.kind === "seen" && (ageOf(reading.status, now) ?? Number.POSITIVE_INFINITY) > maxAge
  );
}

function exitOf(reading: StatusReading, flags: Flags, now: number): ExitCode {
  if (reading.kind === "unseen") return exitOfTrouble(reading.trouble);
  const { state } = reading.status;
  return state === "in-sync" && isTooOld(reading, flags, now) ? EXIT.attention : EXIT_OF_STATE[state];
}

/** @param state state of the folder in one word */
function jsonOf(reading: StatusReading, state: string, now: number): object {
  if (reading.kind === "seen")
    return { ...statusJson(reading.status, ageOf(reading.status, now)), state, daemon: reading.daemon };
  const { what, next, code = null } = reading.trouble;
  return { state, attention: [{ path: "", kind: state, code, detail: what, next }] };
}

async function showOne(io: Io, root: string, flags: Flags): Promise<ExitCode> {
  const reading = await readFolderStatus(root, io);
  if (reading.kind === "unseen" && reading.trouble.code !== "untrusted") throw new TroubleError(reading.trouble);
  const now = io.clock.now();
  const isOld = !flags.json && isTooOld(reading, flags, now);
  return showResult(io, flags.json, {
    json: jsonOf(reading, reading.kind === "seen" ? reading.status.state : "untrusted", now),
    lines: statusLines(reading, now, paintFor(io)),
    warnings: isOld ? [`mdmirror: not in sync within ${ageText(flags.maxAge!)}; next: mdmirror sync`] : [],
    exit: exitOf(reading, flags, now),
  });
}

const NO_FOLDER = ["no folder is linked yet; next: mdmirror init DIR --url URL"];

async function showAll(io: Io, flags: Flags): Promise<ExitCode> {
  const { mirrors, unfit } = await readAll(io);
  const now = io.clock.now();
  const exits = mirrors.map(({ reading }) => exitOf(reading, flags, now));
  const first = flags.json ? undefined : mirrors.find(({ reading }, at) => exits[at] !== 0 && reading.kind === "seen");
  const shown = mirrors.map(({ mirror: { name, root }, reading, state }, at) => {
    return { name, root, ...jsonOf(reading, state, now), exit: exits[at] };
  });
  return showResult(io, flags.json, {
    json: { mirrors: shown },
    lines: shown.length === 0 ? NO_FOLDER : columns(mirrors.map((one) => cells(one, flags, now, paintFor(io)))),
    warnings: first === undefined ? [] : [`  next: mdmirror status ${shellWord(first.mirror.name)}`],
    // An entry of the list that cannot be read may belong to a folder that is no longer watched.
    exit: worstExit([...exits, ...unfit.map(() => EXIT.usage)]),
  });
}

function cells({ mirror: { name, root }, reading, state }: FolderStatus, flags: Flags, now: number, paint: Paint) {
  if (reading.kind === "unseen")
    return [shownName(name), `${paint.bad(state)}: ${shownWords(reading.trouble.what)}`, shownName(root)];
  const isOld = state === "in-sync" && isTooOld(reading, flags, now);
  const words = lastSyncLine(reading.status, now, paint);
  return [shownName(name), `${words}${isOld ? `, longer ago than ${ageText(flags.maxAge!)}` : ""}`, shownName(root)];
}

/**
 * Prints metrics for a collector that reads text files. The metrics show the state, so the exit
 * code is always 0.
 * @param root real path of one linked folder; null for all
 */
async function showMetrics(io: Io, root: string | null): Promise<ExitCode> {
  const { mirrors, unfit } = await readAll(io);
  const shown = root === null ? mirrors : mirrors.filter(({ mirror }) => mirror.root === root);
  if (root !== null && shown.length === 0) {
    const what = `${root} is not in the list of your linked folders, so its figures have no name`;
    return refuse(what, "trust it first: mdmirror trust DIR");
  }
  io.text(mirrorMetrics(shown, unfit.length));
  return EXIT.inSync;
}

/** LIMIT: milliseconds for the daemon to answer. After that, only the state is shown. */
const DAEMON_MS = 250;

/**
 * Prints one line for prompts and status bars, which run often. Waits for other processes only for
 * a limited time. Prints no name or content from the folder.
 */
async function showShort(io: Io, root: string, json: boolean): Promise<ExitCode> {
  const reading = await readFolderStatus(root, { env: io.env, cwd: io.cwd, daemonMs: DAEMON_MS, isStrict: true });
  const short = shortStatus(reading);
  const { state, daemon, inSyncAsOf: _since, ...counts } = short;
  const words = Object.entries(counts).flatMap(([name, n]) => (n === 0 ? [] : [`${name}:${n}`]));
  if (daemon === "paused" || daemon === "silent") words.push(daemon);
  const exit = reading.kind === "seen" ? EXIT_OF_STATE[reading.status.state] : exitOfTrouble(reading.trouble);
  return showResult(io, json, { json: short, lines: [[state, ...words].join(" ")], exit });
}

/** Returns the state, and numbers of documents. `blocked`: other problems to fix. */
function shortStatus(reading: StatusReading) {
  const isSeen = reading.kind === "seen";
  const unseen = { attention: [], conflicts: [], reviews: [], syncedAt: null };
  const { attention, conflicts, reviews, syncedAt } = isSeen ? reading.status : unseen;
  const inConflict = new Set(conflicts);
  return {
    state: isSeen ? reading.status.state : reading.trouble.code === "untrusted" ? "untrusted" : "unreadable",
    conflicts: conflicts.length,
    blocked: attention.filter(({ path, waits }) => !waits && !inConflict.has(path)).length,
    waiting: attention.filter(({ waits }) => waits).length,
    reviews: reviews.length,
    daemon: daemonWord(isSeen ? reading.daemon : null),
    inSyncAsOf: syncedAt,
  };
}

/** Returns a word for the daemon; `silent` if it runs and does not answer. */
function daemonWord(daemon: DaemonStatus | null): "none" | "running" | "paused" | "silent" {
  if (daemon === null) return "none";
  if (daemon.phase === "silent") return "silent";
  return daemon.paused ? "paused" : "running";
}

export const list: Command = {
  about: [
    "Lists the linked folders of this user on this computer: name, folder, address and status. Commands take the name in place of the folder.",
    "A folder is in the list after mdmirror init linked it or mdmirror trust allowed it. Uses no network.",
  ],
  examples: ["mdmirror list"],
  options: {
    json: { help: "print one JSON object" },
  },
  operands: { usage: "", least: 0, most: 0 },
  async run(io, args) {
    const { mirrors } = await readAll(io);
    return showResult(io, args.flag("json"), {
      json: { mirrors: mirrors.map(({ mirror, state }) => ({ ...mirror, state })) },
      lines: mirrors.length === 0 ? NO_FOLDER : columns(mirrors.map(listCells)),
    });
  },
};

const MORE: Readonly<Partial<Record<MirrorWord, string>>> = {
  gone: ": missing: moved, deleted or not mounted",
  other: ": another folder is at this path now",
};

function listCells({ mirror: { root, name, addresses }, state }: FolderStatus): string[] {
  return [shownName(name), shownName(root), addresses.join(" "), `${state}${MORE[state] ?? ""}`];
}
