import { syncMirror } from "../../mirror/operations/manual/sync.ts";
import { USUAL_RUN } from "../../mirror/folder/run.ts";
import { toReportJson, toStatusJson } from "../../mirror/operations/results/report.ts";
import { unwrap } from "../../common/trouble.ts";
import { computeAge, readFolderStatus } from "../../mirror/folder/status.ts";
import { makeAnswer, limitLists, defineTool, makeLimitSchema, makeRefusal } from "../tool.ts";

export const STATUS_TOOL = defineTool({
  name: "status",
  title: "Status of the linked folder",
  description:
    "Shows whether both sides are in sync and since when, problems to fix, conflicts and reviews. Also shows whether a safety check stopped the folder and whether a daemon runs. Uses no network.",
  effect: "reads",
  appliesToAll: true,
  input: { limit: makeLimitSchema(500, 50) },
  async run({ root, name }, { limit: most = 50 }, { openOptions }) {
    const reading = await readFolderStatus(root, openOptions);
    if (reading.kind === "trouble") return makeRefusal(reading.trouble, { mirror: name, root });
    const { status, daemon } = reading.value;
    const json = toStatusJson(status, computeAge(status, openOptions.clock.now()));
    const phase = daemon === null ? null : { phase: daemon.phase, detail: daemon.detail, paused: daemon.paused };
    return makeAnswer({ mirror: name, root, ...limitLists(json, most), daemon: phase });
  },
});

export const SYNC_TOOL = defineTool({
  name: "sync",
  title: "Sync both sides",
  description:
    "Uploads local changes and downloads changes of the service, once. Answers what was done and the problems that remain.",
  effect: "syncs",
  isOnline: true,
  input: { limit: makeLimitSchema(500, 50) },
  async run({ root }, { limit: most = 50 }, { openOptions, inTurn }) {
    const { report, notes } = unwrap(await inTurn(root, () => syncMirror(root, USUAL_RUN, openOptions)));
    return makeAnswer(limitLists({ ...toReportJson(report), notes }, most));
  },
});
