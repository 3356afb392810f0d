import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import type { RunReport } from "../engine/run/report.ts";
import { chooseFailureReason } from "../engine/daemon/phase.ts";
import { findEventItems } from "./events.ts";
import { type HookFacts, collectFacts } from "./facts.ts";
import { type Environment, EVENT_NAMES, describeFailure, type Hook, type HookEnd, type EventName } from "./hook.ts";
import { type HookEvent, makeMessage, type HookMessage } from "./message.ts";
import { selectHooks, findMirrorName, readHooks } from "./read-hooks.ts";
import { ok, type Result, errnoClause } from "../../common/trouble.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { findHome } from "../trust/registry.ts";

export type HookWorld = { readonly env: Environment; readonly clock: Clock; readonly random: Random };

/** @param stop when this signal aborts, mdmirror ends the hook's command */
export async function runHook(
  hook: Hook,
  event: HookEvent,
  root: string,
  { env, clock, random }: HookWorld,
  stop: AbortSignal,
): Promise<HookEnd> {
  const message = makeMessage(event, { name: findMirrorName(root, env), root, clock, random });
  return runCommand(hook, message, { env, timeoutMs: hook.timeoutMs, stop });
}

/** LIMIT: milliseconds for which `sync` waits for its hooks before it ends. */
const MAX_WAIT_MS = 60_000;

type AfterSyncOptions = HookWorld & { readonly stop: AbortSignal; readonly onNote: (note: string) => void };

/**
 * Runs hooks for the events of a sync without a daemon. The hooks run immediately, because nothing
 * is synced until the next command.
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
const EXAMPLE = { path: "example.md", kind: "test", code: null, next: "nothing: this is a test" } as const;

export function testHook(hook: Hook, event: EventName, world: HookWorld, stop: AbortSignal): Promise<HookEnd> {
  const root = listOwnMirrors(world.env).mirrors[0]?.root ?? "/example";
  const factsAfter = { ...NO_FACTS, state: EXAMPLE_STATES[event] };
  const items = event === "in-sync" ? [] : [EXAMPLE];
  return runHook(hook, { event, items, before: factsAfter, now: factsAfter, test: true }, root, world, stop);
}

/** LIMIT: number of bytes kept from the end of a command's output, enough for its last error. */
const KEPT_BYTES = 1_024;
/** LIMIT: number of bytes that a command may output, because reading them delays syncing. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** LIMIT: milliseconds between SIGTERM and SIGKILL. In this time, a command can end by itself. */
const GRACE_MS = 2_000;

/**
 * Environment variables that a command gets: for finding programs and settings, and for the desktop
 * and its language.
 */
const PASSED_VARIABLES: ReadonlySet<string> = new Set(
  "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY".split(
    " ",
  ),
);
/** Prefixes of other environment variables that a command gets. */
const PASSED_PREFIXES = ["LC_", "XDG_"];
/** Environment variable with the event. It also shows an mdmirror that a hook started it. */
const HOOK_VARIABLE = "MDMIRROR_HOOK";

type RunSetup = {
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
};

/**
 * Runs a hook's command with the message on its standard input. The command gets only some
 * environment variables, and no key. It runs in the user's home folder, because a linked folder
 * might contain another person's configuration for the program. After the time limit, mdmirror ends
 * the command's whole process group.
 */
export async function runCommand(
  { argv }: Pick<Hook, "argv">,
  message: HookMessage,
  setup: RunSetup,
): Promise<HookEnd> {
  const { env, timeoutMs, stop } = setup;
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
  /** Sends SIGTERM to the command's process group, and SIGKILL if it does not end in time. */
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
  // A command may end without reading its input. That is no error.
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
    // "exit" rather than "close", because a child process of the command may keep its output open.
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
    // The process group has ended already.
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
