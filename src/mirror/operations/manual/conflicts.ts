/** Lists the open problems from the state file and the local files, without the network. */

import { needsUser } from "../../model/block.ts";
import { makeBlockProblem } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import { makeLocalLookup } from "../history/as-on-disk.ts";
import { ok } from "../../../common/trouble.ts";
import { compareByPath } from "../../model/by-path.ts";
import { CONFLICTS } from "../declared/problems.ts";
import { findNextStep } from "../results/next-step.ts";
import type { Answer } from "../define.ts";
import { defineLocalRead } from "../run-operation.ts";

type StateAndDisk = Pick<World, "state" | "disk">;

type ConflictList = Answer<typeof CONFLICTS>;

function listConflicts({ state, disk }: StateAndDisk): ConflictList {
  const base = state.load();
  const conflicts = [...base.conflicts.values()].map((conflict): ConflictList["conflicts"][number] => {
    const path = base.records.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
    const atPath = disk.look(path);
    const serviceText = makeLocalLookup({ state, disk }, path).text(conflict.shown.at(-1)!.digest);
    return {
      path,
      conflictCopy: conflict.newestCopyPath,
      since: conflict.since,
      mine: atPath.kind === "file" ? atPath.stamp.size : null,
      theirs: serviceText === null ? null : Buffer.byteLength(serviceText),
      inReview: base.blocks.get(conflict.id)?.reason === "review-conflict",
      renewed: conflict.shown.length - 1,
    };
  });
  const blockedRows = [...base.blocks.values()]
    .filter(({ reason }) => reason !== "conflict" && needsUser(reason))
    .map((block): ConflictList["blocked"][number] => {
      const openBlock = makeBlockProblem(block);
      const { refused: _refused, ...shown } = openBlock;
      return { ...shown, next: findNextStep(openBlock), since: block.since };
    });
  return { conflicts: conflicts.toSorted(compareByPath), blocked: blockedRows.toSorted(compareByPath) };
}

export const conflicts = defineLocalRead(CONFLICTS, (mirror) => ok(listConflicts(mirror)));
