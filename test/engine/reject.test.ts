import { expect, test } from "vitest";
import { runItems } from "../../src/mirror/operations/manual/many.ts";
import { planRejection } from "../../src/mirror/operations/manual/answer-stop.ts";
import type { Wire } from "../../src/common/wire.ts";
import { planOnly, syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { combineByMerge } from "../../src/service/files/combine.ts";
import { SyncService } from "../sync-service/service.ts";
import { rollBytes } from "../simulator/dice.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { openFixture, settle } from "../promises/fixture.ts";
import type { OwnKey } from "../simulator/rig.ts";
import { closeNothing } from "../simulator/quiet-ports.ts";

const OPTIONS = { settings: SETTINGS, retryRefused: true, kind: "sync" } as const;

test("I03 after a restore of the service from a backup, newer local content is uploaded again, to the same document", async () => {
  let own: OwnKey | null = null;
  const { rig, mirror } = openFixture(81, {}, (made) => {
    own = made.makeKey({ on: null, level: "full" });
    return { key: own.key };
  });
  const id = rig.app.create("plan.md", "first\n");
  rig.app.create("other.md", "other\n");
  await settle(mirror);
  const copy = rig.service.copy();
  mirror.write("plan.md", "second\n");
  mirror.write("since.md", "made since the backup\n");
  await settle(mirror);

  const restored = new SyncService({
    database: { copy },
    now: () => rig.clock.now(),
    random: rollBytes(2),
    combine: combineByMerge,
  });
  const wire: Wire = {
    send: async (request) => ({ kind: "answer", response: await restored.handle(request) }),
    close: closeNothing,
  };
  const base = mirror.world();
  const remote = createRemote({
    wire,
    key: own!.key,
    clock: base.clock,
    random: base.random,
    log: base.log,
    traits: null,
  });
  const world: World = { ...base, remote };
  const textsThere = async (): Promise<(string | null)[]> => {
    const { items } = await remote.listFiles({ kind: "none" });
    const texts = await Promise.all(items.map((item) => remote.getFile(item.id)));
    return texts.map((answer) =>
      answer.ok ? `${answer.value.id === id ? "plan: " : ""}${answer.value.content}` : null,
    );
  };

  expect((await syncToConvergence(world, OPTIONS)).safetyStop?.reasons).toMatchObject([{ reason: "service-restored" }]);
  expect(await textsThere()).toEqual(["plan: first\n", "other\n"]);
  const end = await planOnly(world, OPTIONS);
  if (end.kind === "offline" || end.plan.verdict.kind === "run") throw new Error("it is not halted");
  const items = planRejection(world.state, end.plan, end.trees);
  expect(items.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    "newer-text-back plan.md",
    "stays-as-new since.md",
  ]);
  const rejected = await runItems(world, "reject", { isOne: false, items });
  expect(rejected.kind === "ok" && rejected.value.items.every(({ end }) => end === "done")).toBe(true);
  expect(await syncToConvergence(world, OPTIONS)).toMatchObject({ state: "in-sync" });
  expect(await textsThere()).toEqual(["plan: second\n", "other\n", "made since the backup\n"]);
  expect(mirror.texts().get("plan.md")).toBe("second\n");
});
