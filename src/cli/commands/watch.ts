import { type DaemonsOptions, runDaemons, syncAllMirrors } from "../../mirror/daemon/daemon.ts";
import type { EventOf, FolderEvent } from "../../mirror/daemon/folder-events.ts";
import { type Result, unwrap } from "../../common/trouble.ts";
import { type Args, type Command, type Io, pickContext } from "../command.ts";
import { EXIT, type ExitCode, refuseUsage } from "../exit.ts";
import { findMirrors } from "../find-mirror.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { ADDRESS_OPTIONS } from "../use-mirror.ts";
import { HookRunner } from "../../mirror/hooks/hook-runner.ts";
import { basename } from "node:path";
import { GIVE_VALID_KEY } from "../../mirror/folder/trouble.ts";
import { listOwnMirrors } from "../../mirror/trust/list.ts";
import type { ActionKind } from "../../mirror/model/action.ts";
import { ACTION_WORDS, formatOrigin } from "../../mirror/operations/results/actions.ts";
import { NEXT_OF_STOP } from "../../mirror/operations/results/attention.ts";
import { toEventJson } from "../../mirror/operations/results/report.ts";
import { count } from "../../common/quantities.ts";
import { trackProblems } from "../show-attention.ts";
import { formatOneTimeLines } from "../show-report.ts";
import { formatJsonLine, joinNames } from "../text.ts";
import { compareByPath } from "../../mirror/model/by-path.ts";

export const command: Command = {
  about: [
    "Uploads a file shortly after its last change, and asks the service for changes regularly. Prints what it does.",
    "Runs until SIGTERM, SIGHUP or Ctrl-C. To run it in the background: mdmirror service install.",
    "--all keeps every linked folder in sync (see mdmirror list), also those that are linked later. If one folder fails, the others continue.",
  ],
  examples: ["mdmirror watch notes", "mdmirror watch --all --json"],
  options: {
    all: { help: "every linked folder of this user, including those linked later" },
    json: { help: "print events as JSON, one object a line" },
    ...ADDRESS_OPTIONS,
  },
  operands: { usage: "[DIR…]", least: 0, most: 64, offers: ["mirror"] },
  async run(io, args) {
    // ORDER: `stop` is read before the folders are opened, because reading `stop` installs the
    // signal handlers. A signal during the opening then closes the folders before the process ends.
    const { stop } = io;
    const [url, keyFile] = [args.text("url"), args.text("key-file")];
    if (args.flag("all")) {
      if (args.operands.length > 0) refuseUsage("it takes folders or --all, not both");
      if (url !== null || keyFile !== null)
        refuseUsage("--url and --key-file are for one linked folder; with --all, each folder uses its own");
      return keepInSync(io, args, true, (world) => syncAllMirrors(world, stop));
    }
    const roots = findMirrors(io, args.operands);
    return keepInSync(io, args, roots.length > 1, (world) => runDaemons(roots, { ...world, url, keyFile }, stop));
  },
};

/**
 * Keeps the linked folders in sync until the user stops the command. Prints events and runs hooks.
 * @param showsNames true if each line names its folder
 */
async function keepInSync(
  io: Io,
  args: Args,
  showsNames: boolean,
  keep: (world: DaemonsOptions) => Promise<Result<null>>,
): Promise<ExitCode> {
  const context = pickContext(io);
  const showEvent = showEvents(io, { json: args.flag("json"), showsNames });
  const onNote = (note: string) => io.err(`mdmirror: ${shownWords(note)}`);
  const hooks = new HookRunner({ ...context, onNote });
  const onEvent: DaemonsOptions["onEvent"] = (root, event, log) => {
    hooks.takeEvent(root, event, log);
    showEvent(root, event);
  };
  unwrap(await keep({ ...context, onEvent, onNote }).finally(() => hooks.end()));
  return EXIT.inSync;
}

/**
 * Returns a function that prints events as lines or as JSON objects.
 * @param showsNames true if each line names its folder
 */
export function showEvents(
  io: Io,
  { json, showsNames }: { readonly json: boolean; readonly showsNames: boolean },
): (root: string, event: FolderEvent) => void {
  const lastPhase = new Map<string, string>();
  const formatProblems = trackProblems();
  const nameByRoot = new Map<string, string>();
  const print = (root: string, event: FolderEvent, lines: readonly string[]) => {
    // If a folder was removed from the list, its last known name is printed.
    if (showsNames && event.kind !== "change")
      for (const mirror of listOwnMirrors(io.env).mirrors) nameByRoot.set(mirror.root, mirror.name);
    const prefix = `${new Date(event.at).toTimeString().slice(0, 8)} ${showsNames ? `${shownName(nameByRoot.get(root) ?? basename(root))}: ` : ""}`;
    const isBad = event.kind === "broken" || event.kind === "watch-limit";
    for (const line of lines) (isBad ? io.err : io.out)(`${prefix}${line}`);
  };
  // Deletions that arrive in one turn of the event loop are printed together, because users often
  // delete several files together.
  const pendingByRoot = new Map<string, PendingDeletion[]>();
  const printPending = (root: string) => {
    const pendingEvents = pendingByRoot.get(root);
    pendingByRoot.delete(root);
    if (pendingEvents !== undefined) print(root, pendingEvents[0]!, formatPendingDeletions(pendingEvents));
  };
  const addPending = (root: string, event: PendingDeletion) => {
    const pendingEvents = pendingByRoot.get(root) ?? [];
    if (pendingEvents.push(event) > 1) return;
    pendingByRoot.set(root, pendingEvents);
    queueMicrotask(() => printPending(root));
  };
  return (root, event) => {
    if (event.kind === "phase" && !isNewPhase(lastPhase, root, event.phase)) return;
    if (json) return io.out(formatJsonLine(toEventJson(root, event)));
    if (event.kind === "deletion-pending") return addPending(root, event);
    printPending(root);
    print(root, event, [...formatEvent(event), ...(event.kind === "run" ? formatProblems(root, event.report) : [])]);
  };
}

/**
 * Returns true if a new phase of the daemon has to be printed: the phase differs from the folder's
 * last phase, and is neither `observing` nor `applying`.
 * @param last last phase of each folder; this function updates the map
 */
function isNewPhase(last: Map<string, string>, root: string, phase: EventOf<"phase">["phase"]): boolean {
  const { kind } = phase;
  if (kind === "observing" || kind === "applying") return false;
  const phaseKey = JSON.stringify(kind === "waiting" ? [kind, phase.why] : kind);
  const lastKey = last.get(root) ?? '"idle"';
  last.set(root, phaseKey);
  return phaseKey !== lastKey;
}

const EVENT_FORMATTERS: { readonly [K in FolderEvent["kind"]]: (event: EventOf<K>) => string[] } = {
  opened: ({ url, notes }) => [`watching; linked to ${url}`, ...notes],
  lent: ({ what }) => [`waiting for mdmirror ${what}`],
  returned: ({ what }) => [`mdmirror ${what} has finished; scanning everything`],
  left: ({ to }) => [
    to === null ? "no longer a linked folder; not watched" : `moved to ${shownName(to)}; watching the new folder`,
  ],
  broken: ({ trouble, retryMs }) => [
    `${shownWords(trouble.what)}; trying again in ${formatSeconds(retryMs)}`,
    `  next: ${shownWords(trouble.next)}`,
  ],
  phase: ({ phase }) => formatPhase(phase),
  // After a stop by a safety check, the event `phase` prints the reason, so the event `change`
  // prints nothing.
  change: (event) => (event.what === "safety-stop" ? [] : [formatChange(event)]),
  run: ({ report }) => formatOneTimeLines(report),
  "deletion-pending": (event) => formatPendingDeletions([event]),
  "deletion-called-off": ({ path }) => [`${shownName(path)} is back; not deleted on the service`],
  "watch-limit": ({ code }) => [
    `the system has no more file watches (${code}): mdmirror scans at each poll instead; next: mdmirror doctor`,
  ],
  woke: ({ sleptMs }) => [`woke up after ${formatSeconds(sleptMs)}; scanning everything`],
};

function formatEvent<K extends FolderEvent["kind"]>(event: EventOf<K>): string[] {
  return EVENT_FORMATTERS[event.kind as K](event);
}

function formatPhase(phase: EventOf<"phase">["phase"]): string[] {
  switch (phase.kind) {
    case "waiting": {
      const { why, detail } = phase;
      if (why === "paused") return ["paused; next: mdmirror resume"];
      const nextStep = why === "unauthenticated" ? `next: ${GIVE_VALID_KEY}` : "mdmirror tries again";
      return [`${why}: ${shownWords(detail).replace(/\.$/, "")}; ${nextStep}`];
    }
    case "stopped":
      return [`Stopped: ${shownWords(phase.detail)}`, `  next: ${NEXT_OF_STOP}`];
    case "ended":
      return ["ended"];
    case "idle":
      return ["continues"];
    case "observing":
    case "applying":
      return [];
  }
}

function formatChange(event: EventOf<"change">): string {
  const { what, path, outcome, detail, lines, code, requestId } = event;
  const actionWords = Object.hasOwn(ACTION_WORDS, what) ? ACTION_WORDS[what as ActionKind] : null;
  const label = outcome === "submitted" ? "sent to review" : actionWords?.label;
  const head = actionWords === null ? `· ${what}` : `${actionWords.arrow} ${label}`;
  const size = lines === null ? "" : `  (+${count(lines.added)} −${count(lines.removed)})`;
  const endClause =
    outcome === "done" || outcome === "submitted"
      ? ""
      : `  ${outcome}: ${shownWords(detail)}${formatOrigin(code, requestId)}`;
  // A step of the kind `note-facts` changes no content and no path, so only its description is
  // printed.
  const noteClause = what === "note-facts" && outcome === "done" ? `  ${shownWords(detail)}` : "";
  return `${head}: ${path === "" ? shownWords(detail) : shownName(path)}${size}${noteClause}${endClause}`;
}

type PendingDeletion = EventOf<"deletion-pending">;

/** LIMIT: number of file names that are printed in one line, so that the line stays short. */
const MAX_NAMED_PATHS = 5;

/**
 * Returns a line for each group of locally deleted files whose documents still exist on the
 * service. A group has files whose documents will get the same treatment after the same time.
 */
function formatPendingDeletions(pending: readonly PendingDeletion[]): string[] {
  return [...Map.groupBy(pending.toSorted(compareByPath), describeOutcome)].map(([outcome, all]) => {
    const names = all.map(({ path }) => shownName(path));
    return `deleted locally: ${joinNames(names, MAX_NAMED_PATHS)}; ${outcome}`;
  });
}

function describeOutcome({ dueAt, at, inConflict, asks }: PendingDeletion): string {
  const timeLeft = formatSeconds(Math.max(0, dueAt - at));
  if (inConflict)
    return `in conflict, so in ${timeLeft} mdmirror restores the version on the service; yours is in the history`;
  return asks
    ? `in ${timeLeft} mdmirror asks you before it deletes on the service`
    : `mdmirror deletes on the service in ${timeLeft}`;
}

function formatSeconds(ms: number): string {
  return `${count(Math.round(ms / 1_000))} s`;
}
