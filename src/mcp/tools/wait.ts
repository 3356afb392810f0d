import * as z from "zod";
import { waitFor } from "../../mirror/operations/manual/wait.ts";
import type { WaitAnswer } from "../../mirror/daemon/control/waited.ts";
import { waitedJson } from "../../mirror/operations/results/waited.ts";
import { limit, PATH } from "../fields.ts";
import { answer, defineTool, type Ended, misused, refused } from "../tool.ts";

export const WAIT = defineTool({
  name: "wait",
  title: "Wait until changes are live",
  description:
    "Waits until the local files are live on the service, or until it is known why they are not. `state` is live if all are. Else it is in-review, attention (in conflict or blocked), stopped, offline, paused or too-slow. Nothing is lost then: call again. Does not wait for later saves. Syncs by itself if no daemon keeps the folder in sync.",
  effect: "syncs",
  isOnline: true,
  input: {
    paths: z.array(PATH).max(100).describe("documents, also deleted ones (everything if left out)").optional(),
    timeout_seconds: z.int().min(1).max(600).describe("30 if left out").optional(),
    limit: limit(500, 100),
  },
  async run({ root }, { paths = [], timeout_seconds: seconds = 30, limit: most = 100 }, { openOptions, inTurn }) {
    const request = { paths: paths.length === 0 ? [""] : paths, timeoutMs: seconds * 1_000 };
    const ended = await inTurn(root, () => waitFor(root, request, openOptions));
    return ended.kind === "trouble" ? refused(ended.trouble) : endOf(ended.value, most);
  },
});

function endOf(waited: WaitAnswer, most: number): Ended {
  if (waited.kind === "outside") {
    const unknown = waited.outside.map(({ path }) => path);
    return misused("not all of these are synced documents", "list shows the documents", "not-a-document", {
      unknown,
    });
  }
  const { paths, more, ...rest } = waitedJson(waited);
  const shown = paths.slice(0, most);
  const leftOut = more + paths.length - shown.length;
  return answer({ isLive: rest.state === "live", ...rest, paths: shown, ...(leftOut > 0 ? { leftOut } : {}) });
}
