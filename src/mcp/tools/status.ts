import { ageOf, readFolderStatus } from "../../mirror/folder/status.ts";
import { statusJson } from "../../mirror/operations/results/status.ts";
import { answer, bounded, defineTool, refused, limit } from "../tool.ts";

export const STATUS = defineTool({
  name: "status",
  title: "Status of the linked folder",
  description:
    "Shows whether both sides are in sync and since when, problems to fix, conflicts and reviews. Also shows whether a safety check stopped the folder and whether a daemon runs. Uses no network.",
  effect: "reads",
  ofAll: true,
  input: { limit: limit(500, 50) },
  async run({ root, name }, { limit: most = 50 }, { openOptions }) {
    const reading = await readFolderStatus(root, openOptions);
    if (reading.kind === "unseen") return refused(reading.trouble, { mirror: name, root });
    const { status, daemon } = reading;
    const json = statusJson(status, ageOf(status, openOptions.clock.now()));
    const phase = daemon === null ? null : { phase: daemon.phase, detail: daemon.detail, paused: daemon.paused };
    return answer({ mirror: name, root, ...bounded(json, most), daemon: phase });
  },
});
