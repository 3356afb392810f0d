import { syncMirror } from "../../mirror/operations/manual/sync.ts";
import { USUAL_RUN } from "../../mirror/folder/run.ts";
import { reportJson } from "../../mirror/operations/results/report.ts";
import { unwrap } from "../../common/trouble.ts";
import { answer, bounded, defineTool, limit } from "../tool.ts";

export const SYNC = defineTool({
  name: "sync",
  title: "Sync both sides",
  description:
    "Uploads local changes and downloads changes of the service, once. Answers what was done and the problems that remain.",
  effect: "syncs",
  isOnline: true,
  input: { limit: limit(500, 50) },
  async run({ root }, { limit: most = 50 }, { openOptions, inTurn }) {
    const { report, notes } = unwrap(await inTurn(root, () => syncMirror(root, USUAL_RUN, openOptions)));
    return answer(bounded({ ...reportJson(report), notes }, most));
  },
});
