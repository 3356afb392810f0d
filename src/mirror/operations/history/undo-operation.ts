import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { World } from "../../engine/run/world.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { UNDO } from "../declared/undo.ts";
import { rowsOf } from "../manual/many.ts";
import type { Operation } from "../run-operation.ts";
import { givenMoment } from "./as-of.ts";
import { readUndo, readUndoSince, undoItems, type UndoPlan, undoRun } from "./undo.ts";

/** Undoes the runs of a plan, each document only if it has not changed since. */

/** A plan with a digest that identifies it. `since`: milliseconds since the epoch. */
export type SeenUndo = { readonly plan: UndoPlan; readonly version: Digest; readonly since: number | null };

export const undo: Operation<typeof UNDO, SeenUndo> = {
  declared: UNDO,
  plan({ world }, { run = null, since: time }) {
    const moment = givenMoment(time, world.clock);
    if (moment.kind === "trouble") return moment;
    const since = moment.value;
    if (since === null) return readUndoPlan(world, run);
    if (run !== null) return trouble("usage", "a run and a time are given", "give a run or a time, not both");
    return seenUndo(readUndoSince(world, since), since);
  },
  hasWork: ({ plan: { items } }) => items.some(({ kind }) => kind !== "left"),
  seen: (_mirror, { version }) => ({ plan: version }),
  preview: ({ plan, version }) => ({ ...runsOf(plan), run: null, version, items: rowsOf({ items: undoItems(plan) }) }),
  async run({ world }, { plan, version }, stop) {
    const ended = await undoRun(world, plan, stop);
    if (ended.kind === "trouble") return ended;
    const { run, items } = ended.value;
    return ok({ ...runsOf(plan), run, version, items });
  },
};

function runsOf({ runs, passed }: UndoPlan) {
  return { runs: runs.map(({ run }) => run), passedOver: passed.map(({ run }) => run) };
}

export function readUndoPlan(world: Pick<World, "state" | "disk">, run: number | null): Result<SeenUndo> {
  return seenUndo(readUndo(world, run), null);
}

function seenUndo(read: Result<UndoPlan>, since: number | null): Result<SeenUndo> {
  if (read.kind === "trouble") return read;
  const { runs, items } = read.value;
  const version = digestOf(Buffer.from(JSON.stringify([runs.map(({ run }) => run), items])));
  return ok({ plan: read.value, version, since });
}
