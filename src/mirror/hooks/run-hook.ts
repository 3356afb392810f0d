import type { Clock } from "../../common/clock.ts";
import { plural } from "../../common/quantities.ts";
import type { Random } from "../../common/random.ts";
import { shownName } from "../../common/shown-words.ts";
import { formatOrigin } from "../operations/results/actions.ts";
import {
  type ChangeCounts,
  collectFacts,
  countChanges,
  findEventItems,
  type HookFacts,
  type HookItem,
} from "./events.ts";
import {
  describeFailure,
  EVENT_NAMES,
  type EventName,
  findMirrorName,
  type Hook,
  type HookEnd,
  readHooks,
  selectHooks,
} from "./hook.ts";
import type { RunReport } from "../engine/run/report.ts";
import { chooseFailureReason } from "../engine/daemon/interface.ts";
import { errnoClause, ok, type Result } from "../../common/trouble.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { type Environment, findHome } from "../trust/registry.ts";

/** JSON on a hook's standard input, with paths, codes and counts, but never content or a key. */
export type HookMessage = {
  readonly id: string;
  readonly type: EventName;
  readonly timestamp: string;
  readonly text: string;
  readonly data: {
    readonly mirror: { readonly name: string; readonly folder: string };
    readonly state: HookFacts["state"];
    /** True if `mdmirror hooks test` sent the message, so that no event happened. */
    readonly test: boolean;
    /**
     * Numbers of documents and changes. `changes`: changes that this process has synced since the
     * hook last ran for this event.
     */
    readonly counts: {
      readonly attention: number;
      readonly conflicts: number;
      readonly inReview: number;
      readonly changes: ChangeCounts;
    };
    /** The first 50 documents or problems of the event. */
    readonly items: readonly HookItem[];
    /** Number of documents or problems that are missing in `items`. */
    readonly more: number;
    readonly next: string;
  };
};

export type HookEvent = {
  readonly event: EventName;
  readonly items: readonly HookItem[];
  readonly before: HookFacts;
  readonly now: HookFacts;
  readonly test?: boolean;
};

/** LIMIT: number of documents or problems in one message, so that the message stays short. */
const MAX_PATHS = 50;

function makeMessage(
  { event, items, before, now, test = false }: HookEvent,
  root: string,
  { env, clock, random }: HookWorld,
): HookMessage {
  const name = findMirrorName(root, env);
  const { problems, reviews, state } = now;
  const counts = {
    attention: problems.attention.length,
    conflicts: problems.conflict.length,
    inReview: reviews?.length ?? 0,
    changes: countChanges(before, now),
  };
  const shownItems = items.slice(0, MAX_PATHS);
  return {
    id: `msg_${random.hex(24)}`,
    type: event,
    timestamp: new Date(clock.now()).toISOString(),
    text: `${test ? "(test) " : ""}mdmirror: ${EVENT_SENTENCES[event](items, shownName(name))}`,
    data: {
      mirror: { name, folder: root },
      state,
      test,
      counts,
      items: shownItems,
      more: items.length - shownItems.length,
      next: items[0] !== undefined && event !== "conflict" && event !== "attention" ? items[0].next : NEXT_STEPS[event],
    },
  };
}

const EVENT_SENTENCES: Readonly<Record<EventName, (items: readonly HookItem[], name: string) => string>> = {
  stopped: (items, name) => `${name} is stopped by a safety check: ${items.map(({ kind }) => kind).join(", ")}`,
  offline: ([first], name) => `${name} cannot reach the service${formatOrigin(first?.code ?? null, null)}`,
  conflict: (items, name) => `${plural(items.length, "new conflict")} in ${name}: ${listPaths(items)}`,
  attention: (items, name) => `${plural(items.length, "new problem")} to fix in ${name}: ${listPaths(items)}`,
  "review-settled": (items, name) => `${plural(items.length, "review")} ended in ${name}: ${listPaths(items)}`,
  "in-sync": (_items, name) => `${name} is in sync`,
};

const NEXT_STEPS: Readonly<Record<EventName, string>> = {
  stopped: "mdmirror plan; then mdmirror approve, or mdmirror reject",
  offline: "mdmirror doctor",
  conflict: "mdmirror conflicts",
  attention: "mdmirror status",
  "review-settled": "nothing",
  "in-sync": "nothing",
};

/** LIMIT: number of paths in a message's sentence, because a notification has little space. */
const MAX_NAMED_PATHS = 3;

function listPaths(items: readonly HookItem[]): string {
  const namedPaths = items.slice(0, MAX_NAMED_PATHS).map(({ path, kind }) => (path === "" ? kind : shownName(path)));
  return `${namedPaths.join(", ")}${items.length > MAX_NAMED_PATHS ? `, and ${items.length - MAX_NAMED_PATHS} more` : ""}`;
}

export type HookWorld = { readonly env: Environment; readonly clock: Clock; readonly random: Random };

/** @param stop when this signal aborts, mdmirror ends the hook's command */
export async function runHook(
  hook: Hook,
  event: HookEvent,
  root: string,
  world: HookWorld,
  stop: AbortSignal,
): Promise<HookEnd> {
  return runCommand(hook, makeMessage(event, root, world), world.env, stop);
}

/** LIMIT: milliseconds that `sync` waits for hooks, so that `sync` ends even if a hook hangs. */
const MAX_WAIT_MS = 60_000;

type AfterSyncOptions = HookWorld & { readonly stop: AbortSignal; readonly onNote: (note: string) => void };

/**
 * Runs hooks for the events of a sync without a daemon. The hooks run immediately, because nothing
 * changes until the next command.
 * @param before state of the folder before the sync
 */
export async function runHooksAfterSync(
  root: string,
  before: HookFacts,
  report: RunReport,
  { stop, onNote, ...world }: AfterSyncOptions,
): Promise<Result<null>> {
  const hooksResult = readHooks(world.env);
  if (hooksResult.kind === "trouble") return hooksResult;
  const outage = report.state === "offline" ? { code: chooseFailureReason(report.fault), ms: 0 } : null;
  const { blocked: _blocked, ...changes } = report.counts;
  const factsAfter = collectFacts(root, report, { offline: outage, changes });
  const timeLimit = AbortSignal.any([stop, AbortSignal.timeout(MAX_WAIT_MS)]);
  await Promise.all(selectHooks(root, hooksResult.value, world.env).map(runForEvents));
  return ok(null);

  async function runForEvents(hook: Hook): Promise<void> {
    for (const event of EVENT_NAMES.filter((name) => hook.on.has(name))) {
      const items = findEventItems(event, before, factsAfter);
      if (items === null || timeLimit.aborted) continue;
      const hookEnd = await runHook(hook, { event, items, before, now: factsAfter }, root, world, timeLimit);
      if (hookEnd.kind === "failed") onNote(`the hook "${hook.name}" failed on ${event}: ${describeFailure(hookEnd)}`);
    }
  }
}

const NO_FACTS: Omit<HookFacts, "state"> = {
  changes: {},
  problems: { attention: [], conflict: [], stopped: [], offline: [] },
  offlineMs: 0,
  reviews: null,
};
const EXAMPLE_STATES: Readonly<Record<EventName, HookFacts["state"]>> = {
  stopped: "stopped",
  offline: "offline",
  conflict: "attention",
  attention: "attention",
  "review-settled": "in-sync",
  "in-sync": "in-sync",
};
const EXAMPLE_EVENT = { path: "example.md", kind: "test", code: null, next: "nothing: this is a test" } as const;

export function testHook(hook: Hook, event: EventName, world: HookWorld, stop: AbortSignal): Promise<HookEnd> {
  const root = listOwnMirrors(world.env).mirrors[0]?.root ?? "/example";
  const factsAfter = { ...NO_FACTS, state: EXAMPLE_STATES[event] };
  const items = event === "in-sync" ? [] : [EXAMPLE_EVENT];
  return runHook(hook, { event, items, before: factsAfter, now: factsAfter, test: true }, root, world, stop);
}

/** LIMIT: number of bytes kept from the end of a command's output, enough for the last error. */
const KEPT_BYTES = 1_024;
/** LIMIT: number of bytes that a command may output, because reading the output delays syncing. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** LIMIT: milliseconds between SIGTERM and SIGKILL, in which a command can end by itself. */
const GRACE_MS = 2_000;

/**
 * Environment variables that a command gets: those for finding programs and settings, for the
 * desktop and for the language.
 */
const PASSED_VARIABLES: ReadonlySet<string> = new Set(
  "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY".split(
    " ",
  ),
);
/** Beginnings of the names of other environment variables that a command gets. */
const PASSED_PREFIXES = ["LC_", "XDG_"];
/**
 * Name of the environment variable with the event. By this variable, mdmirror recognises that a
 * hook has started it.
 */
const HOOK_VARIABLE = "MDMIRROR_HOOK";

/**
 * Runs a hook's command with the message on standard input. The command gets only some environment
 * variables, and no key. The command runs in the user's home folder, because a linked folder might
 * contain another person's configuration for the program. After the time limit, mdmirror ends the
 * command's whole process group.
 */
export async function runCommand(
  { argv, timeoutMs }: Pick<Hook, "argv" | "timeoutMs">,
  message: HookMessage,
  env: Environment,
  stop: AbortSignal,
): Promise<HookEnd> {
  const [program, ...args] = argv;
  const beganAt = performance.now();
  const child = spawn(program!, args, {
    cwd: findHome(env),
    env: makeEnvironment(message, env),
    stdio: "pipe",
    detached: true,
  });
  let output = Buffer.alloc(0);
  let outputBytes = 0;
  let cutFailure: CommandFailure | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  /** Sends SIGTERM to the process group of the command, and SIGKILL after `GRACE_MS`. */
  const endCommand = (why: string, reason: string) => {
    if (cutFailure !== null) return;
    cutFailure = { why, reason, code: null };
    killGroup(child, "SIGTERM");
    killTimer = setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => endCommand(`it did not end within ${timeoutMs / 1_000} s`, "timeout"), timeoutMs);
  const onStop = () => endCommand("it was ended, because mdmirror is ending", "stopped");
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      outputBytes += chunk.length;
      output = Buffer.concat([output, chunk]).subarray(-KEPT_BYTES);
      if (outputBytes > MAX_OUTPUT_BYTES) endCommand("it printed more than 1 MiB", "output");
    });
  // If a command ends without reading its input, the stream reports an error, which is ignored.
  child.stdin.on("error", () => undefined);
  child.stdin.end(`${JSON.stringify(message)}\n`);
  const failure = await waitForEnd(child);
  clearTimeout(timer);
  clearTimeout(killTimer);
  stop.removeEventListener("abort", onStop);
  if (cutFailure !== null) killGroup(child, "SIGKILL");
  for (const stream of child.stdio) stream?.destroy();
  const ms = Math.round(performance.now() - beganAt);
  const endFailure = cutFailure ?? failure;
  return endFailure === null
    ? { kind: "done", ms }
    : { kind: "failed", ms, ...endFailure, output: output.toString("utf8").trim() };
}

type CommandFailure = Pick<Extract<HookEnd, { kind: "failed" }>, "why" | "reason" | "code">;

/** Waits for the command's end. Returns null if the command succeeded. */
function waitForEnd(child: ChildProcess): Promise<CommandFailure | null> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve({ why: `it cannot be started: ${errnoClause(error)}`, reason: "start", code: error.code ?? null }),
    );
    // The event `close` would come too late, because a child process of the command may keep the
    // command's output open.
    child.once("exit", (code, signal) => {
      const explanation = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
      setImmediate(() => resolve(code === 0 ? null : { why: explanation, reason: "exit", code: code ?? signal }));
    });
  });
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the process group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function makeEnvironment({ type, text, data }: HookMessage, env: Environment): NodeJS.ProcessEnv {
  const passedVariables = Object.entries(env).filter(
    ([name]) => PASSED_VARIABLES.has(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  return {
    ...Object.fromEntries(passedVariables),
    [HOOK_VARIABLE]: type,
    MDMIRROR_HOOK_TEXT: text,
    MDMIRROR_HOOK_FOLDER: data.mirror.folder,
  };
}
