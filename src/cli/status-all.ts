import { ageText } from "../common/age.ts";
import { type FolderStatus, readAllStatuses } from "../mirror/folder/all-statuses.ts";
import { ageOf } from "../mirror/folder/status.ts";
import { statusJson } from "../mirror/operations/results/status.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { complain, EXIT, type ExitCode, exitOfTrouble, worstExit } from "./exit.ts";
import { columns, jsonLine, type Paint, paintFor } from "./text.ts";
import { exitOfStatus, isTooOld, lastSyncLine, type StatusFlags } from "./show-status.ts";

/**
 * Prints a line for each linked folder (`status --all`). The exit code is that of the folder with
 * the worst state.
 */
export async function printAllStatuses(io: Io, asked: StatusFlags): Promise<ExitCode> {
  const looked = await readAllStatuses(io);
  if (looked.kind === "trouble") return complain(io, looked.trouble);
  const { mirrors, unfit } = looked.value;
  for (const why of unfit) printUntrustedEntries(io, why);
  const now = io.clock.now();
  const exits = mirrors.map((one) => exitOf(one, asked, now));
  if (asked.json) io.out(jsonLine({ mirrors: mirrors.map((one, at) => ({ ...jsonOf(one, now), exit: exits[at] })) }));
  else tellLines(io, mirrors, exits, asked, now);
  // An entry of the list that cannot be read may belong to a folder that is no longer watched.
  return worstExit([...exits, ...unfit.map(() => EXIT.usage)]);
}

export function printUntrustedEntries(io: Io, why: string): void {
  io.err(`mdmirror: ${shownWords(why)}; run mdmirror trust to allow its folders again`);
}

function exitOf({ look }: FolderStatus, { maxAge }: StatusFlags, now: number): ExitCode {
  if (look.kind === "unseen") return exitOfTrouble(look.trouble);
  return exitOfStatus(look.status, maxAge !== null && isTooOld(ageOf(look.status, now), maxAge.ms));
}

/** Returns `name`, `root` and `state`, then the members of `status --json`. */
function jsonOf({ mirror: { name, root }, look, state }: FolderStatus, now: number): object {
  if (look.kind === "seen") {
    return { name, root, ...statusJson(look.status, ageOf(look.status, now)), state, daemon: look.daemon };
  }
  const { what, next, code = null } = look.trouble;
  return { name, root, state, attention: [{ path: "", kind: state, code, detail: what, next }] };
}

function tellLines(
  io: Io,
  mirrors: readonly FolderStatus[],
  exits: readonly ExitCode[],
  { maxAge }: StatusFlags,
  now: number,
): void {
  const paint = paintFor(io);
  const rows = mirrors.map((one, at) => {
    const tooOld = maxAge !== null && one.state === "in-sync" && exits[at] !== EXIT.inSync;
    const words = `${wordsOf(one, now, paint)}${tooOld ? `, longer ago than ${maxAge.text}` : ""}`;
    return [shownName(one.mirror.name), words, shownName(one.mirror.root)];
  });
  for (const line of columns(rows)) io.out(line);
  if (rows.length === 0) io.out("no folder is linked yet; next: mdmirror init DIR --url URL");
  const first = mirrors.find((one, at) => exits[at] !== EXIT.inSync && one.look.kind === "seen");
  if (first !== undefined) io.err(`  next: mdmirror status ${shellWord(first.mirror.name)}`);
}

function wordsOf({ look, state }: FolderStatus, now: number, paint: Paint): string {
  if (look.kind === "unseen") return `${paint.bad(state)}: ${shownWords(look.trouble.what)}`;
  const age = ageOf(look.status, now);
  return lastSyncLine(look.status, age === null ? null : ageText(age), paint);
}
