import { join } from "node:path";
import { ageText } from "../common/age.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { parseAge } from "../common/age.ts";
import { endTransient, noteTransient, type TransientKind } from "../mirror/folder/transient-trouble.ts";
import type { RunReport } from "../mirror/folder/run.ts";
import type { Trouble } from "../common/trouble.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { Io } from "./command.ts";
import { complain, exitOfTrouble } from "./complain.ts";
import type { ExitCode } from "./exit.ts";
import { reportJson } from "../mirror/operations/results/report.ts";
import { exitCodeOf, showNeeds, showReport } from "./show-report.ts";
import { jsonLine } from "./json-line.ts";

/** Shows the end of a `sync` according to its options. */

export type RunPrinter = { readonly quiet: boolean; readonly json: boolean };

type RunTelling = {
  readonly url: string;
  /** Milliseconds. */
  readonly took: number;
  /** Further members of the JSON object. */
  readonly beside?: object;
};

export function printRun(
  io: Io,
  root: string,
  report: RunReport,
  { quiet, json, url, took, beside = {} }: RunPrinter & RunTelling,
): ExitCode {
  const isPassing = passes(report);
  // This run had the lock and may have reached the service, so problems of these kinds have ended.
  endTransient(join(root, MIRROR_FOLDER), isPassing ? ["locked"] : ["locked", "offline"]);
  if (json) io.out(jsonLine({ ...reportJson(report), ...beside }));
  else if (!quiet) showReport(io, report, took, url);
  else if (!isPassing) showNeeds(io, report, url);
  else whenItLasted(io, root, "offline", () => showNeeds(io, report, url));
  return exitCodeOf(report);
}

/**
 * Prints why a run could not start. With `--quiet`, another active run is reported only after it
 * has lasted for a while; the exit code always shows the active run.
 */
export function printTrouble(io: Io, root: string, trouble: Trouble, { quiet, json }: RunPrinter): ExitCode {
  if (trouble.kind !== "locked" || !quiet || json) return complain(io, trouble);
  whenItLasted(io, root, "locked", () => void complain(io, trouble));
  return exitOfTrouble(trouble);
}

function whenItLasted(io: Io, root: string, kind: TransientKind, tell: () => void): void {
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  const quietMs = config.kind === "ok" ? (parseAge(config.value.interface.quietFor) ?? 0) : 0;
  const told = noteTransient(folder, kind, io.clock.now(), quietMs);
  if (told.kind === "silent") return;
  tell();
  if (told.sinceMs > 0) io.err(`  this has lasted for ${ageText(told.sinceMs)}; reported again after a day`);
}

/**
 * Returns true for a problem that ends without the user: an unreachable service. A refused key or a
 * wrong server is a problem for a person.
 */
function passes({ state, fault }: RunReport): boolean {
  if (state !== "offline" || fault === null) return false;
  return fault.kind === "uncertain" || (fault.kind === "later" && fault.cause !== "malformed");
}
