import type { UndoneSeen } from "../../mirror/operations/history/undo-seen.ts";
import { undoSeen } from "../../mirror/operations/history/undo-seen.ts";
import { count } from "../../common/count.ts";
import type { Notice } from "../../page/layout.ts";
import { BUSY, noticeOfTrouble, type UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";
import { versionNumber } from "../path-parts.ts";
import { noticeOfRun } from "./sync.ts";

/** `undo` of a run, only if its plan is still the one that the page showed. */
export const UNDO: UiAction = {
  path: "runs/:run/undo",
  async run({ env, cwd, clock, random, jobs }, { mirror, params, form }) {
    const { name, root } = mirror;
    const run = versionNumber(params["run"] ?? null);
    const back = mirrorAddress(name, `runs/${params["run"]}`);
    if (run === null) return { to: mirrorAddress(name, "runs"), notice: NO_RUN };
    const mark = form.get("mark") ?? "";
    const started = jobs.start(root, `undo of run ${run}`, async (progress) => {
      const done = await undoSeen(root, { run, mark }, { env, cwd, clock, random, progress });
      return done.kind === "trouble" ? noticeOfTrouble(done.trouble) : noticeOf(run, done.value);
    });
    return { to: back, notice: started ? null : BUSY };
  },
};

const NO_RUN: Notice = { tone: "bad", text: "this is not a run number; nothing was done", next: null };

function noticeOf(run: number, done: UndoneSeen): Notice {
  if (done.kind === "changed") {
    const text = `nothing was done: the plan to undo run ${run} changed since this page was shown`;
    return { tone: "asks", text, next: "read the present plan, and choose again" };
  }
  const back = done.ends.filter((end) => end.done).length;
  const left = done.ends.length - back;
  const sync = noticeOfRun(done.report);
  const text = `run ${run}: ${count(back)} undone${left > 0 ? `, ${count(left)} left alone` : ""}; ${sync.text}`;
  return { ...sync, tone: left > 0 && sync.tone === "good" ? "asks" : sync.tone, text };
}
