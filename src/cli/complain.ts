import { isDiskFull, type Trouble } from "../common/trouble.ts";
import type { Io } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { originClause } from "../mirror/operations/results/origin.ts";
import { shownWords } from "../common/shown-name.ts";

const EXITS: Readonly<Record<Trouble["kind"], ExitCode>> = {
  usage: EXIT.usage,
  fault: EXIT.fault,
  locked: EXIT.locked,
  offline: EXIT.offline,
};

/** Codes of stops that no answer of the user ends. */
const STOPPED: ReadonlySet<string> = new Set(["lost-root", "nothing-to-reject"]);

/** Prints why a command cannot continue and returns its exit code. */
export function complain(io: Io, trouble: Trouble): ExitCode {
  io.err(`mdmirror: ${shownWords(trouble.what)}${originClause(trouble.code ?? null, trouble.requestId ?? null)}`);
  io.err(`  next: ${shownWords(trouble.next)}`);
  return exitOfTrouble(trouble);
}

export function exitOfTrouble({ kind, code = null }: Pick<Trouble, "kind" | "code">): ExitCode {
  if (code !== null && STOPPED.has(code)) return EXIT.stopped;
  return kind === "fault" && isDiskFull(code) ? EXIT.diskFull : EXITS[kind];
}

/** Prints what is wrong with the arguments of a command. */
export function misuse(io: Io, command: string, why: string): ExitCode {
  io.err(`mdmirror ${command}: ${why}`);
  io.err(`  next: mdmirror ${command} --help`);
  return EXIT.usage;
}
