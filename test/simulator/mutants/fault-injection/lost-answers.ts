import type { WireRequest } from "../../../../src/contract/wire.ts";
import type { Fault } from "../../../variants/variant.ts";
import { stageWithWork } from "./intrusions.ts";
import type { FaultTest, Stage } from "./stage.ts";

/**
 * Each write of a cycle is lost, before or after it was done, or is refused. Then a user edits the
 * document on the service before mdmirror reads it.
 */

const REFUSED: Fault = {
  status: 422,
  headers: { "content-type": "application/problem+json" },
  body: JSON.stringify({
    status: 422,
    code: "invalid_content",
    title: "no",
    detail: "injected",
    requestId: "req_injected",
  }),
};

/** Fails if a write is sent again unchanged without a read in between, whatever its answer was. */
function checkResends(stage: Stage): void {
  const open = new Map<string, WireRequest>();
  for (const request of stage.sent) {
    const { method, path, body } = request;
    const key = `${method} ${path} ${body}`;
    if (method === "GET") open.clear();
    else if (open.has(key)) stage.fail(`I08 sent twice without a look between: ${method} ${path}`);
    else open.set(key, request);
  }
}

type Loss = "drop-before" | "drop-after" | "refused";

async function lose(
  loss: Loss,
  nth: number,
  thenEdited: boolean,
): Promise<{ failures: readonly string[]; reached: boolean }> {
  const stage = await stageWithWork(`write ${nth} of a pass is ${loss}${thenEdited ? ", then edited there" : ""}`);
  let writes = 0;
  let lost: WireRequest | null = null;
  let isEdited = false;
  stage.befall = (request) => {
    if (lost !== null && thenEdited && !isEdited) {
      isEdited = true;
      const id = /doc_[^/?]+/.exec(lost.path)?.[0];
      if (id !== undefined) stage.there(id as ReturnType<Stage["id"]>, 10, "after-the-loss");
    }
    if (request.method === "GET" || lost !== null || ++writes !== nth) return null;
    lost = request;
    return loss === "refused" ? REFUSED : loss;
  };
  await stage.mirror.sync();
  checkResends(stage);
  stage.checkBase();
  await stage.settle();
  const isMoved = stage.rig.app.files().get("moved.md")?.id === stage.id("moved-here.md");
  stage.expect("I09 a rename made here is undone", isMoved);
  const isBack = [...stage.rig.app.files().values()].some(({ id }) => id === stage.id("gone-here.md"));
  stage.expect("I01 a deletion made here is undone", !isBack || thenEdited || loss === "refused");
  return { failures: stage.failures, reached: lost !== null };
}

export const LOST_ANSWERS: readonly FaultTest[] = (["drop-before", "drop-after", "refused"] as const).flatMap((loss) =>
  [false, true].map((thenEdited) => ({
    name: `each write is ${loss}${thenEdited ? ", then edited there" : ""}`,
    async run() {
      for (let nth = 1; ; nth++) {
        const { failures, reached } = await lose(loss, nth, thenEdited);
        if (failures.length > 0 || !reached) return failures;
      }
    },
  })),
);
