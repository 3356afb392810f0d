import type { UNDO as DECLARED } from "../../mirror/operations/declared/undo.ts";
import type { ResultOf } from "../../mirror/operations/define.ts";
import { undo } from "../../mirror/operations/history/undo-operation.ts";
import { syncMirror } from "../../mirror/operations/manual/sync.ts";
import { runOperation } from "../../mirror/operations/run-operation.ts";
import { USUAL_RUN } from "../../mirror/folder/run.ts";
import { count } from "../../common/count.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";
import { versionNumber } from "../path-parts.ts";
import { noticeOfRun } from "./sync.ts";

/** Carries out the `undo` of a run, but only if its plan is still the one that the page showed. */
export const UNDO: UiAction = {
  path: "runs/:run/undo",
  operation: "undo",
  async run({ env, cwd, clock, random, jobs }, { mirror, params, form }) {
    const { name, root } = mirror;
    const run = versionNumber(params["run"] ?? null);
    const back = mirrorAddress(name, `runs/${params["run"]}`);
    if (run === null) return { to: mirrorAddress(name, "runs"), notice: NO_RUN };
    const input = { run, expected: { plan: form.get("version") ?? "" }, noSync: true };
    const started = jobs.start(root, `undo of run ${run}`, async (progress) => {
      const options = { env, cwd, clock, random, progress };
      const done = await runOperation(root, undo, input, options);
      if (done.kind === "trouble") return noticeOfTrouble(done.trouble);
      const synced = await syncMirror(root, USUAL_RUN, options);
      if (synced.kind === "trouble") return noticeOfTrouble(synced.trouble);
      return noticeOf(run, done.value.items, noticeOfRun(synced.value.report));
    });
    return { to: back, notice: started ? null : BUSY };
  },
};

const NO_RUN: Notice = { tone: "bad", text: "this is not a run number; nothing was done", next: null };

function noticeOf(run: number, items: ResultOf<typeof DECLARED>["items"], sync: Notice): Notice {
  const back = items.filter(({ end }) => end === "done").length;
  const left = items.length - back;
  const text = `run ${run}: ${count(back)} undone${left > 0 ? `, ${count(left)} left alone` : ""}; ${sync.text}`;
  const isWhole = left === 0 && back > 0;
  return { ...sync, tone: !isWhole && sync.tone === "good" ? "asks" : sync.tone, text };
}
