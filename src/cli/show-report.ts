import type { RunReport } from "../app/mirror/run.ts";
import { NOT_APPROVABLE } from "../planner/plan-types.ts";
import type { Io } from "./command.ts";
import { faultTrouble } from "../app/mirror/fault-trouble.ts";
import { complain } from "./complain.ts";
import { actionName, actionPath, byPath, doneLine, wordsOf } from "./describe.ts";
import { attentionLines } from "./show-attention.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { attentionJson, needs, NEXT_OF_LOST_ROOT, nextOfHalt } from "./open.ts";
import { type Paint, paintFor, PLAIN } from "./paint.ts";
import { count } from "./progress.ts";
import { shownName, shownWords } from "../model/shown-name.ts";

/** How a run is told: one summary line, then what needs the user. */

const EXITS: Readonly<Record<RunReport["state"], ExitCode>> = {
  "in-sync": EXIT.inSync,
  attention: EXIT.attention,
  halted: EXIT.halted,
  offline: EXIT.offline,
};

/** LIMIT: of attentions and stopped actions on screen; `status` and `plan --all` show the rest. */
const MOST = 20;

export function exitOf(report: RunReport): ExitCode {
  return EXITS[report.state];
}

/**
 * @param took milliseconds
 * @param url of the service, for what its silence means
 */
export function showReport(io: Io, report: RunReport, took: number, url: string): void {
  io.out(summaryLine(report, took, paintFor(io)));
  for (const line of renamedLines(report)) io.err(line);
  showOpen(io, report, report.attention, url);
}

/**
 * What needs the user, alone: with `--quiet`, where success is silent and trouble is not. What ends
 * by itself is no trouble.
 */
export function showNeeds(io: Io, report: RunReport, url: string): void {
  const attention = report.attention.filter(({ waits }) => !waits);
  for (const line of renamedLines(report)) io.err(line);
  showOpen(io, report, attention, url);
}

/** Names here that gave way to the service's. */
export function renamedLines({ renamed = [] }: RunReport): string[] {
  return renamed.slice(0, MOST).map(({ from, to }) => `${shownName(to)}: renamed: ${renamedDetail(from, to)}`);
}

function renamedDetail(from: string, to: string): string {
  return `another has the name ${shownName(from)} on the service, so yours is ${shownName(to)} now, here and there`;
}

/** The cause comes first, then what follows from it. */
function showOpen(io: Io, report: RunReport, all: RunReport["attention"], url: string): void {
  if (report.fault !== null) complain(io, faultTrouble(report.fault, url));
  if (report.halt !== null) showHalt(io, report);
  // Nothing was looked at: what is known of before is not of this run.
  const attention = report.state === "offline" ? [] : all;
  for (const line of attentionLines(attention, MOST, paintFor(io, "error"))) io.err(line);
}

function showHalt(io: Io, { halt, stopped }: RunReport): void {
  const paint = paintFor(io, "error");
  for (const { reason, detail } of halt?.reasons ?? [])
    io.err(`${paint.bad("halted")}: ${reason}: ${shownWords(detail)}`);
  if (halt?.reasons.some(({ reason }) => NOT_APPROVABLE.has(reason)) === true) {
    io.err(`  next: ${NEXT_OF_LOST_ROOT}`);
    return;
  }
  const named = stopped.map((action) => ({
    words: wordsOf(action),
    path: actionPath(action, () => null),
    name: actionName(action, () => null),
  }));
  for (const { words, name } of named.toSorted(byPath).slice(0, MOST)) {
    io.err(`    ${words.arrow} ${words.label}: ${name}`);
  }
  if (halt?.reasons.some(({ reason }) => reason === "conflict-flood") === true) {
    io.err("  next: if one side should win where both are new: mdmirror init DIR --prefer local | remote; else:");
  }
  if (stopped.length > MOST) io.err(`    … and ${count(stopped.length - MOST)} more: mdmirror plan --all`);
  for (const line of nextOfHalt(halt?.reasons ?? [])) io.err(`  next: ${line}`);
}

function summaryLine(report: RunReport, took: number, paint: Paint = PLAIN): string {
  const seconds = `${(took / 1_000).toFixed(1)} s`;
  const done = doneLine(report.counts);
  const did = done === null ? "nothing to do" : done;
  switch (report.state) {
    case "in-sync":
      return `${paint.good("in sync")}: ${did} (${seconds})`;
    case "attention":
      return `done, ${paint.asks(needs(report.attention))}: ${did} (${seconds})`;
    case "halted":
      return `${paint.bad("halted by a guard")}: ${done ?? "nothing was done"} (${seconds})`;
    case "offline":
      return `${paint.bad("offline")}: ${done ?? "nothing was done"} (${seconds})`;
  }
}

/** The object of `sync --json`. */
export function reportJson(report: RunReport): object {
  const { state, run, counts: all } = report;
  // Its members are promised to programs: there, all that was made of two texts is one number.
  const { accepted, byPolicy, ...rest } = all;
  const counts = { ...rest, merged: rest.merged + accepted + byPolicy };
  const renamed = (report.renamed ?? []).map(({ from, to }) => {
    return {
      path: to,
      kind: "renamed",
      code: null,
      detail: renamedDetail(from, to),
      next: "nothing, or rename either",
    };
  });
  return { state, run, counts, attention: [...attentionJson(report), ...renamed] };
}
