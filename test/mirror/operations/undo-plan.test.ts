import { describe, expect, test } from "vitest";
import { moveOfEvent } from "../../../src/mirror/operations/history/undo-moves.ts";
import { planUndo } from "../../../src/mirror/operations/history/undo-plan.ts";
import { ROOT } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";

describe("what a run's events record of its moves", () => {
  test("a local move and a move on the service, each with both ends, without regard to the event's sentence", async () => {
    const rig = createRig(3);
    const mirror = rig.mirror();
    for (const path of ["here.md", "there.md", "f/k.md"]) rig.app.create(path, `${path}\n`);
    await mirror.sync();
    mirror.disk.user.rename(`${ROOT}/here.md`, `${ROOT}/f/here (1).md`);
    rig.app.rename("there.md", "moved.md");
    const report = await mirror.sync();
    const events = mirror.state.events({ limit: 50, run: report!.run }).toReversed();
    const moves = events.flatMap((event) => moveOfEvent({ ...event, detail: "" }) ?? []);
    expect(moves).toContainEqual({ side: "local", from: "there.md", to: "moved.md", localFrom: "there.md" });
    expect(moves.filter(({ side }) => side === "remote")[0]).toMatchObject({ from: "here.md" });
    expect(moves.findLast(({ side }) => side === "remote")).toMatchObject({ to: "f/here-(1).md" });
    expect(moves.at(-1)).toEqual({ side: "local", from: "here.md", to: "f/here (1).md", localFrom: "here.md" });
  });

  test("a document that moved again since is left alone", async () => {
    const rig = createRig(3);
    const mirror = rig.mirror();
    rig.app.create("a.md", "a\n");
    await mirror.sync();
    rig.app.rename("a.md", "b.md");
    const report = await mirror.sync();
    rig.app.rename("b.md", "c.md");
    await mirror.sync();
    const events = mirror.state.events({ limit: 50, run: report!.run }).toReversed();
    expect(planUndo(events, mirror.state.load(), mirror.world())).toMatchObject([
      { path: "c.md", kind: "left", why: "it was moved again since" },
    ]);
  });
});
