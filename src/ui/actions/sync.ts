import { syncMirror } from "../../mirror/operations/manual/sync.ts";
import { type RunReport, USUAL_RUN } from "../../mirror/folder/run.ts";
import { doneLine } from "../../mirror/operations/results/done.ts";
import { problemsClause } from "../../mirror/operations/results/needs.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";

/** Carries out `sync`, through the daemon if one watches the folder. */
export const SYNC: UiAction = {
  path: "sync",
  async run({ env, cwd, clock, random, jobs }, { mirror }) {
    const { name, root } = mirror;
    const started = jobs.start(root, "sync", async (progress) => {
      const ended = await syncMirror(root, USUAL_RUN, { env, cwd, clock, random, progress });
      return ended.kind === "trouble" ? noticeOfTrouble(ended.trouble) : noticeOfRun(ended.value.report);
    });
    return { to: mirrorAddress(name), notice: started ? null : BUSY };
  },
};

export function noticeOfRun(report: RunReport): Notice {
  const done = doneLine(report.counts);
  switch (report.state) {
    case "in-sync":
      return { tone: "good", text: `Synced: ${done ?? "nothing to do"}`, next: null };
    case "attention":
      return {
        tone: "asks",
        text: `done, ${problemsClause(report.attention)}: ${done ?? "nothing to do"}`,
        next: null,
      };
    case "stopped":
      return { tone: "bad", text: `Stopped by a safety check: ${done ?? "nothing was done"}`, next: null };
    case "offline":
      return { tone: "bad", text: `offline: ${done ?? "nothing was done"}`, next: "mdmirror doctor" };
  }
}
