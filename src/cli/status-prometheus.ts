import { readAllStatuses } from "../mirror/folder/all-statuses.ts";
import { mirrorMetrics } from "../mirror/folder/metrics.ts";
import type { Io } from "./command.ts";
import { complain, EXIT, type ExitCode } from "./exit.ts";
import { printUntrustedEntries } from "./status-all.ts";

/**
 * Prints metrics for a collector that reads text files (`status --prometheus`). The metrics show
 * the state, so the exit code is always 0.
 * @param root real path of one linked folder; null for all
 */
export async function printMetrics(io: Io, root: string | null): Promise<ExitCode> {
  const looked = await readAllStatuses(io);
  if (looked.kind === "trouble") return complain(io, looked.trouble);
  const { mirrors, unfit } = looked.value;
  for (const why of unfit) printUntrustedEntries(io, why);
  const asked = root === null ? mirrors : mirrors.filter(({ mirror }) => mirror.root === root);
  if (root !== null && asked.length === 0) {
    const what = `${root} is not in the list of your linked folders, so its figures have no name`;
    return complain(io, { kind: "usage", what, next: "trust it first: mdmirror trust DIR" });
  }
  io.text(mirrorMetrics(asked, unfit.length));
  return EXIT.inSync;
}
