import { refuse, unwrap } from "../../common/trouble.ts";
import { EVENT_NAMES, type EventName, type Hook } from "../../mirror/hooks/hook.ts";
import { hooksFileOf } from "../../mirror/trust/gate.ts";
import { ageText } from "../../common/age.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { type Args, type Command, type Io, contextOf } from "../command.ts";
import { EXIT, type ExitCode, misuse } from "../exit.ts";
import { jsonLine, showResult } from "../text.ts";
import { readHooks } from "../../mirror/hooks/read-hooks.ts";
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
  async run(io, args): Promise<ExitCode> {
    const [verb = "list", name] = args.operands;
    if (verb === "list" && name === undefined) return list(io, args.flag("json"));
    if (verb === "test" && name !== undefined) return test(io, name, args);
    return misuse("use: hooks list, or hooks test NAME");
  },
};

function list(io: Io, json: boolean): ExitCode {
  const hooks = unwrap(readHooks(io.env));
  const none = ["no hook is configured; see Hooks in src/docs/monitoring.md"];
  return showResult(io, json, {
    json: { file: hooksFileOf(io.env), hooks: hooks.map(hookJson) },
    lines: hooks.length === 0 ? none : hooks.map(hookLine),
  });
}

function hookLine({ name, on, mirrors, argv }: Hook): string {
  const events = [...on].map(([event, delayMs]) => `${event} (after ${ageText(delayMs)})`).join(", ");
  const folders = mirrors === null ? "" : `, for ${mirrors.map(shownName).join(", ")}`;
  return `${name}: on ${events}${folders}: runs ${shownWords(argv.join(" "))}`;
}

function hookJson({ name, on, mirrors, timeoutMs, argv: run }: Hook): object {
  const events = [...on].map(([event, ms]) => ({ event, debounceSeconds: ms / 1_000 }));
  return { name, on: events, mirrors, timeoutSeconds: timeoutMs / 1_000, run };
}

async function test(io: Io, name: string, args: Args): Promise<ExitCode> {
  const hook = unwrap(readHooks(io.env)).find((candidate) => candidate.name === name);
  if (hook === undefined) return refuse(`there is no hook ${JSON.stringify(name)}`, "mdmirror hooks lists the hooks");
  const event = (args.text("event") as EventName | null) ?? [...hook.on.keys()][0]!;
  const end = await testHook(hook, event, contextOf(io), io.stop);
  if (args.flag("json")) {
    const failed = end.kind === "done" ? {} : { why: end.why, code: end.code, output: end.output };
    io.out(jsonLine({ name, event, state: end.kind, ms: end.ms, ...failed }));
  } else if (end.kind === "done") io.out(`${name}: ran for ${event}, in ${end.ms} ms`);
  else {
    io.err(`mdmirror: the hook "${name}" failed on ${event}: ${shownWords(end.why)}`);
    for (const line of end.output.split("\n").filter((text) => text.trim() !== "")) io.err(`    ${shownWords(line)}`);
    io.err("  next: fix the command or the hook, and test it again");
  }
  return end.kind === "done" ? EXIT.inSync : EXIT.attention;
}
