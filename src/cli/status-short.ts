import type { Look } from "../app/mirror/look.ts";
import type { MirrorStatus } from "../app/mirror/read-status.ts";
import type { Trouble } from "../app/mirror/trouble.ts";
import { examineFolder, ownershipOf } from "../app/trust/owner.ts";
import type { Io } from "./command.ts";
import { EXIT, EXIT_OF_STATE, type ExitCode } from "./exit.ts";
import { nearest } from "./nearest.ts";

/**
 * `status --short`: one line of words for prompts and status bars, which ask often and on their
 * own. So it loads little, waits for nobody, prints nothing outside of mirrors, and no name or text
 * of a folder.
 */

type Asked = { readonly dir: string | null; readonly json: boolean };

/** LIMIT: milliseconds that a daemon may take to answer; then the state alone is told. */
const DAEMON_MS = 250;

/** Counts are of documents. */
type Short = {
  readonly state: MirrorStatus["state"] | "untrusted" | "unreadable";
  readonly conflicts: number;
  /** What needs the user besides. */
  readonly held: number;
  readonly waiting: number;
  readonly reviews: number;
  /** `silent`: one is there, and does not answer. */
  readonly daemon: "none" | "running" | "paused" | "silent";
  /** When both sides were last proven to agree, in milliseconds since the epoch; null: never. */
  readonly inSyncAsOf: number | null;
};

export async function tellShort(io: Io, { dir, json }: Asked): Promise<ExitCode> {
  const root = await rootOf(io, dir);
  if (typeof root !== "string") return root;
  const [short, exit] = await lookShortly(io, root);
  io.out(json ? JSON.stringify(short) : wordsOf(short).join(" "));
  return exit;
}

/** A folder that was named must be a mirror; where none was named, this may be outside of any. */
async function rootOf(io: Io, dir: string | null): Promise<string | ExitCode> {
  const root = dir ?? nearest(io, io.cwd).root;
  if (root === null) return EXIT.usage;
  const isOwn = dir === null && ownershipOf(root, io.env).kind === "own";
  const found = isOwn ? examineFolder(root) : (await import("./find-mirror.ts")).findMirror(io, root);
  if (found.kind === "ok") return found.value;
  return (await import("./complain.ts")).complain(io, found.trouble);
}

async function lookShortly(io: Io, root: string): Promise<readonly [Short, ExitCode]> {
  const { askFirst, readAfter } = await import("../app/mirror/look.ts");
  const asked = await askFirst(root, { env: io.env, cwd: io.cwd, daemonMs: DAEMON_MS, isStrict: true });
  if (asked.kind === "unseen" && asked.isOfDaemon !== true)
    return unseen(asked.trouble.code === "untrusted" ? "untrusted" : "unreadable", asked.trouble);
  const isTrouble = asked.kind === "unseen";
  const look = await readAfter(root, isTrouble ? { kind: "asked", daemon: null } : asked);
  if (look.kind === "unseen") return unseen("unreadable", look.trouble);
  const isSilent = isTrouble || look.daemon?.phase === "silent";
  return [shortOf(look, isSilent), EXIT_OF_STATE[look.status.state]];
}

async function unseen(state: "untrusted" | "unreadable", trouble: Trouble): Promise<readonly [Short, ExitCode]> {
  const { exitOfTrouble } = await import("./complain.ts");
  const nothing = { conflicts: 0, held: 0, waiting: 0, reviews: 0, daemon: "none", inSyncAsOf: null } as const;
  return [{ state, ...nothing }, exitOfTrouble(trouble)];
}

function shortOf({ status, daemon }: Extract<Look, { kind: "seen" }>, isSilent: boolean): Short {
  const { state, attention, conflicts, reviews, syncedAt } = status;
  const inConflict = new Set(conflicts);
  const running = daemon === null ? "none" : daemon.paused ? "paused" : "running";
  return {
    state,
    conflicts: conflicts.length,
    held: attention.filter(({ path, waits }) => !waits && !inConflict.has(path)).length,
    waiting: attention.filter(({ waits }) => waits).length,
    reviews: reviews.length,
    daemon: isSilent ? "silent" : running,
    inSyncAsOf: syncedAt,
  };
}

const COUNTS = ["conflicts", "held", "waiting", "reviews"] as const;

/** The state, then what is not zero, in this order; a daemon is named if it does no work. */
function wordsOf(short: Short): readonly string[] {
  const counts = COUNTS.flatMap((name) => (short[name] === 0 ? [] : [`${name}:${short[name]}`]));
  const stands = short.daemon === "paused" || short.daemon === "silent";
  return [short.state, ...counts, ...(stands ? [short.daemon] : [])];
}
