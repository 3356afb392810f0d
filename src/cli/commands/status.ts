import { join } from "node:path";
import type { DaemonStatus } from "../../app/control/protocol.ts";
import type { MirrorStatus } from "../../app/mirror/read-status.ts";
import { parseAge } from "../../app/mirror/age.ts";
import type { Result, Trouble } from "../../app/mirror/trouble.ts";
import { CONTROL_FILE, MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import type { Command, Io } from "../command.ts";
import { complain, exitOfTrouble } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { attentionJson, needs, nextOfHalt } from "../open.ts";
import { type Paint, paintFor } from "../paint.ts";
import { plural } from "../progress.ts";
import { jsonLine } from "../json-line.ts";
import { shownName, shownWords } from "../../model/shown-name.ts";
import { localTime } from "../when.ts";

const { existsSync } = process.getBuiltinModule("node:fs");

export const command: Command = {
  usage: "status [DIR] [--json] [--max-age 15m]",
  about: ["Reads the state, and asks the daemon if one runs: no network, no look at the files, nothing written."],
  options: {
    json: { help: "one JSON object" },
    "max-age": { value: "TIME", help: "exit 3 when it was last in sync longer ago (90s, 15m, 6h, 2d)" },
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const asked = args.text("max-age");
    const maxAge = asked === null ? null : parseAge(asked);
    if (asked !== null && maxAge === null) {
      io.err("mdmirror status: --max-age takes a time such as 90s, 15m, 6h or 2d");
      io.err("  next: mdmirror status --help");
      return EXIT.usage;
    }
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    return tellStatus(io, root.value, args.flag("json"), asked, maxAge);
  },
};

/** @param asked what `--max-age` said; `maxAge`: the same in milliseconds */
async function tellStatus(
  io: Io,
  root: string,
  json: boolean,
  asked: string | null,
  maxAge: number | null,
): Promise<ExitCode> {
  const doubt = await doubtOf(io, root);
  if (doubt !== null) return showUntrusted(io, doubt, json);
  const asking = await askAny(root);
  if (asking.kind === "trouble") return complain(io, asking.trouble);
  const daemon = asking.value;
  const { readStatus } = await import("../../app/mirror/read-status.ts");
  const read = await readStatus(root, daemon !== null && BUSY.has(daemon.phase));
  if (read.kind === "trouble") return complain(io, read.trouble);
  const status = withDaemon(read.value, daemon);
  const age = ageOf(status, io.clock.now());
  const old = maxAge !== null && isOver(age, maxAge);
  if (json) io.out(jsonLine({ ...statusJson(status, age), daemon }));
  else {
    await showStatus(io, status, age, daemon);
    if (old) io.err(`mdmirror: not in sync within ${asked}; next: mdmirror sync`);
  }
  return old && status.state === "in-sync" ? EXIT.attention : EXITS[status.state];
}

/** Milliseconds since it was proven in sync; null: it never was. */
function ageOf({ syncedAt }: MirrorStatus, now: number): number | null {
  return syncedAt === null ? null : Math.max(0, now - syncedAt);
}

function isOver(age: number | null, most: number): boolean {
  return age === null || age > most;
}

/**
 * What lies in the folder is data of whoever made it: where it is not known as the user's, nothing
 * of it is worth telling.
 */
async function doubtOf(io: Io, root: string): Promise<Trouble | null> {
  const [{ admit }, { readConfig }] = await Promise.all([
    import("../../app/trust/gate.ts"),
    import("../../app/mirror/config.ts"),
  ]);
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return null;
  const admitted = admit(root, config.value, { mode: "read", env: io.env, cwd: io.cwd });
  return admitted.kind === "trouble" && admitted.trouble.code === "untrusted" ? admitted.trouble : null;
}

function showUntrusted(io: Io, { kind, what, next }: Trouble, json: boolean): ExitCode {
  if (json) {
    const attention = [{ path: "", kind: "untrusted", code: "untrusted", detail: what, next }];
    io.out(jsonLine({ state: "untrusted", attention }));
  } else {
    io.out(`${paintFor(io).bad("not trusted")}: ${shownWords(what)}`);
    io.out(`  next: ${shownWords(next)}`);
  }
  return exitOfTrouble({ kind, what, next });
}

const EXITS: Readonly<Record<MirrorStatus["state"], ExitCode>> = {
  "in-sync": EXIT.inSync,
  never: EXIT.attention,
  attention: EXIT.attention,
  halted: EXIT.halted,
  offline: EXIT.offline,
};

/** What a daemon's loop does in the middle of a run. */
const BUSY: ReadonlySet<string> = new Set(["observing", "applying"]);

/** The daemon knows of later looks than it writes down, and of those that came to nothing. */
function withDaemon(status: MirrorStatus, daemon: DaemonStatus | null): MirrorStatus {
  if (daemon === null) return status;
  const syncedAt = latest(status.syncedAt, daemon.inSyncAsOf);
  const isOffline = daemon.phase === "waiting" && !daemon.paused && status.state !== "halted";
  return { ...status, syncedAt, state: isOffline ? "offline" : status.state };
}

/** Most folders have no daemon: then what speaks to one is not loaded. */
async function askAny(root: string): Promise<Result<DaemonStatus | null>> {
  if (!existsSync(join(root, MIRROR_FOLDER, CONTROL_FILE))) return { kind: "ok", value: null };
  const { askDaemon, NO_DAEMON } = await import("../../app/control/ask.ts");
  const asking = await askDaemon(root, { do: "status" });
  return asking === NO_DAEMON ? { kind: "ok", value: null } : asking;
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function daemonLine({ pid, phase, detail, paused }: DaemonStatus): string {
  if (paused) return `the daemon (process ${pid}) is paused; next: mdmirror resume`;
  return `the daemon (process ${pid}) is ${phase}${detail === "" ? "" : `: ${shownWords(detail)}`}`;
}

function statusJson(status: MirrorStatus, age: number | null): object {
  const { state, fault, ...rest } = status;
  return {
    state,
    ageSeconds: age === null ? null : Math.round(age / 1_000),
    ...rest,
    attention: attentionJson(status),
  };
}

async function showStatus(
  io: Io,
  status: MirrorStatus,
  ageMs: number | null,
  daemon: DaemonStatus | null,
): Promise<void> {
  const { ageText } = await import("../../app/mirror/age.ts");
  const { attentionLines } = await import("../show-attention.ts");
  const paint = paintFor(io);
  const lines = [
    ...holdingLines(status, ageMs === null ? null : ageText(ageMs), paint),
    ...(await stayingLines(status)),
    ...(await faultLines(status)),
    ...attentionLines(status.attention, Number.POSITIVE_INFINITY, paint),
    ...haltLines(status, paint),
    ...(daemon === null ? [] : [daemonLine(daemon)]),
  ];
  for (const line of lines) io.out(line);
}

/** What the mirror holds, and how it stands. */
function holdingLines(status: MirrorStatus, age: string | null, paint: Paint): string[] {
  const { documents, folders, pending, conflicts, reviewedSince, remote } = status;
  const { suspended = 0 } = status.resting;
  const where = `${shownWords(status.url)}${remote === "" ? "" : `, folder ${shownName(remote)}`}`;
  return [
    `${plural(documents, "document")} in ${plural(folders, "folder")}, mirrored from ${where}`,
    standingLine(status, age, paint),
    ...(pending > 0 ? [`${plural(pending, "effect")} cut off; the next sync settles them`] : []),
    ...(suspended > 0 ? [`${plural(suspended, "document")} left out by .mdmirrorignore; nothing to do`] : []),
    ...reviewLines(reviewedSince),
    ...(conflicts.length > 0 ? [`${paint.asks("in conflict")}: ${conflicts.map(shownName).join(", ")}`] : []),
  ];
}

async function stayingLines({ staysLocal }: MirrorStatus): Promise<string[]> {
  if (Object.keys(staysLocal ?? {}).length === 0) return [];
  const { stayLine } = await import("../describe.ts");
  const stays = stayLine(staysLocal);
  return stays === null ? [] : [stays];
}

async function faultLines({ fault, url }: MirrorStatus): Promise<string[]> {
  if (fault === null) return [];
  const { faultTrouble } = await import("../../app/mirror/fault-trouble.ts");
  const { what, next } = faultTrouble(fault, url);
  return [shownWords(what), `  next: ${shownWords(next)}`];
}

function haltLines({ halt }: MirrorStatus, paint: Paint): string[] {
  if (halt === null) return [];
  const ways = halt.approved
    ? ["  approved; next: mdmirror sync"]
    : nextOfHalt(halt.reasons).map((way) => `  next: ${way}`);
  return [
    ...halt.reasons.map(({ reason, detail }) => `${paint.bad("halted")}: ${reason}: ${shownWords(detail)}`),
    ...ways,
  ];
}

/**
 * Of a review only its acceptance can be seen from here, by the live text; so it is said what
 * waits, since when, and what ends it.
 */
function reviewLines(reviews: MirrorStatus["reviewedSince"]): string[] {
  if (reviews.length === 0) return [];
  return [
    ...reviews.map(({ path, since, met }) => {
      return `in review since ${localTime(since)}${met ? ", because it met another edit" : ""}: ${shownName(path)}`;
    }),
    "  a rejection cannot be seen from here; after one, edit the file anew, or take the live text: mdmirror resolve PATH --theirs",
    "  what was sent, and what it stops: mdmirror reviews",
  ];
}

/**
 * In sync as of the last run that proved it; where another ended otherwise since, what that came
 * to.
 */
function standingLine({ state, attention }: MirrorStatus, age: string | null, paint: Paint): string {
  if (state === "in-sync") return `${paint.good("in sync")} as of ${age} ago`;
  if (state === "never") return "never in sync yet: mdmirror sync";
  const since = age === null ? "never in sync yet" : `last in sync ${age} ago`;
  const why = { halted: "a guard has halted it", offline: "the service was not reached", attention: needs(attention) };
  return `${paint.asks("not in sync")}: ${why[state]}; ${since}`;
}
