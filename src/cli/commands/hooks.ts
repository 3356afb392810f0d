import { refuse, unwrap } from "../../common/trouble.ts";
import { EVENT_NAMES, type EventName, type Hook, readHooks } from "../../mirror/hooks/hook.ts";
import { findHooksFile } from "../../mirror/trust/gate.ts";
import { formatAge } from "../../common/quantities.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { type Args, type Command, type CommandResult, type Io, pickContext } from "../command.ts";
import { EXIT, refuseUsage } from "../exit.ts";
import { testHook } from "../../mirror/hooks/run-hook.ts";

export const command: Command = {
  about: [
    "A hook is a command in ~/.config/mdmirror/hooks.json, never in a linked folder. mdmirror runs it when a linked folder is in sync, needs action, is in conflict, is stopped or offline, or when a review ends.",
    "mdmirror hooks list shows each hook. mdmirror hooks test runs one hook with an example event. For the format of the file, see Hooks in src/docs/monitoring.md.",
  ],
  examples: ["mdmirror hooks", "mdmirror hooks test notify"],
  options: {
    event: {
      value: "EVENT",
      choices: EVENT_NAMES,
      help: "with test: the event (default: the first event of the hook)",
    },
    json: { help: "print one JSON object" },
  },
  operands: { usage: "[list | test NAME]", least: 0, most: 2, words: ["list", "test"], offers: ["nothing"] },
  async run(io, args) {
    const [verb = "list", name] = args.operands;
    if (verb === "list" && name === undefined) return showHooks(io);
    if (verb === "test" && name !== undefined) return runHookTest(io, name, args);
    return refuseUsage("use: hooks list, or hooks test NAME");
  },
};

function showHooks(io: Io): CommandResult {
  const hooks = unwrap(readHooks(io.env));
  const noHookLines = ["no hook is configured; see Hooks in src/docs/monitoring.md"];
  return {
    json: { file: findHooksFile(io.env), hooks: hooks.map(toHookJson) },
    lines: hooks.length === 0 ? noHookLines : hooks.map(formatHook),
  };
}

function formatHook({ name, on, mirrors, argv }: Hook): string {
  const events = [...on].map(([event, delayMs]) => `${event} (after ${formatAge(delayMs)})`).join(", ");
  const foldersClause = mirrors === null ? "" : `, for ${mirrors.map(shownName).join(", ")}`;
  return `${name}: on ${events}${foldersClause}: runs ${shownWords(argv.join(" "))}`;
}

function toHookJson({ name, on, mirrors, timeoutMs, argv: run }: Hook): object {
  const events = [...on].map(([event, ms]) => ({ event, debounceSeconds: ms / 1_000 }));
  return { name, on: events, mirrors, timeoutSeconds: timeoutMs / 1_000, run };
}

async function runHookTest(io: Io, name: string, args: Args): Promise<CommandResult> {
  const hook = unwrap(readHooks(io.env)).find((candidate) => candidate.name === name);
  if (hook === undefined) return refuse(`there is no hook ${JSON.stringify(name)}`, "mdmirror hooks lists the hooks");
  const event = (args.text("event") as EventName | null) ?? [...hook.on.keys()][0]!;
  const testEnd = await testHook(hook, event, pickContext(io), io.stop);
  const { kind: state, ms } = testEnd;
  if (testEnd.kind === "done")
    return { json: { name, event, state, ms }, lines: [`${name}: ran for ${event}, in ${ms} ms`] };
  const { why, code, output } = testEnd;
  const outputLines = output.split("\n").filter((line) => line.trim() !== "");
  return {
    json: { name, event, state, ms, why, code, output },
    lines: [],
    hints: [
      `mdmirror: the hook "${name}" failed on ${event}: ${shownWords(why)}`,
      ...outputLines.map((line) => `    ${shownWords(line)}`),
      "  next: fix the command or the hook, and test it again",
    ],
    exit: EXIT.attention,
  };
}
