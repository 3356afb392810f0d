import type { StoppedPlan } from "../mirror/operations/manual/approve.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import type { RejectEnd, RejectItem } from "../mirror/operations/manual/reject.ts";
import { insteadOf, REJECTION_WORDS } from "../mirror/operations/results/stop.ts";
import type { Args, Io } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { count } from "../common/count.ts";
import { agrees } from "./use-mirror.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { planRejection, rejectStop } from "../mirror/operations/manual/reject.ts";

/** Shows what `reject` would restore, asks, and restores it. */
export async function reject(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  halted: Extract<StoppedPlan, { kind: "stopped" }>,
  most: number,
): Promise<ExitCode> {
  const reasons = halted.reasons.map(({ reason }) => reason);
  const items = planRejection(mirror.world.state, halted.plan, halted.trees, reasons);
  const able = items.filter(({ kind }) => kind !== "left").length;
  if (able === 0) {
    io.err("mdmirror: there is nothing to undo: nothing was deleted or changed on either side");
    for (const reason of reasons) io.err(`  next: ${insteadOf(reason)}`);
    return EXIT.stopped;
  }
  for (const line of itemLines(items, most)) io.out(line);
  if (!(await agrees(io, args.flag("yes"), "undo these changes?"))) {
    io.err(
      io.terminal.input
        ? "mdmirror: nothing was changed"
        : "mdmirror: this command needs a confirmation, but no terminal is attached",
    );
    io.err("  next: mdmirror reject --yes");
    return io.terminal.input ? EXIT.stopped : EXIT.usage;
  }
  const ends = await rejectStop(mirror.world, items);
  return tell(io, ends, mirror.borrowed === true ? "the daemon syncs now" : "next: mdmirror sync");
}

function itemLines(items: readonly RejectItem[], most: number): string[] {
  return [...Map.groupBy(items, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const names = all
      .slice(0, most)
      .map((item) => `    ${shownName(item.path)}${item.kind === "left" ? `: ${shownWords(item.why)}` : ""}`);
    const more = all.length > most ? [`    … and ${count(all.length - most)} more`] : [];
    return [`  ${count(all.length)} × ${kind === "left" ? "left alone" : REJECTION_WORDS[kind]}:`, ...names, ...more];
  });
}

function tell(io: Io, ends: readonly RejectEnd[], next: string): ExitCode {
  for (const { item, done, note } of ends) {
    if (done && note !== "") io.out(`${shownName(item.path)}: ${shownWords(note)}`);
    if (!done) io.err(`${shownName(item.path)}: left alone: ${shownWords(note)}`);
  }
  const back = ends.filter(({ done }) => done).length;
  io.out(`rejected: ${count(back)} restored; ${next}`);
  return back === ends.length ? EXIT.inSync : EXIT.attention;
}
