import { expect, test } from "vitest";
import { runItems } from "../../src/mirror/operations/manual/many.ts";
import { planRejection } from "../../src/mirror/operations/manual/answer-stop.ts";
import { GENERATION_HEADER, type WireRequest, type WireResponse } from "../../src/contract/wire.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { planOnly, syncToConvergence } from "../../src/mirror/engine/run/converge.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import { toApprovalKey } from "../../src/mirror/planner/verdict/stops.ts";
import type { Wire } from "../../src/common/wire.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { openFixture, settle } from "../promises/fixture.ts";
import { createRig, type OwnKey } from "../simulator/rig.ts";
import { closeNothing } from "../simulator/quiet-ports.ts";
import { SETTINGS, withCalls } from "../simulator/mirror.ts";
import { SyncService } from "../sync-service/service.ts";
import { rollBytes } from "../simulator/dice.ts";
import type { LocalPath } from "../../src/contract/path.ts";
import { DaemonRig, startDaemon, statesOf, waitForSync } from "./daemon/rig.ts";

const OPTIONS = { settings: SETTINGS, retryRefused: true, kind: "sync" } as const;
const PULL = { ...OPTIONS, settings: { ...SETTINGS, direction: "pull" } } as const;
const RESTORED = [{ reason: "service-restored" }];

/** Opens a fixture whose linked folder has a key of its own. */
function openWithKey(seed: number) {
  let own: OwnKey | null = null;
  const fixture = openFixture(seed, {}, (made) => {
    own = made.makeKey({ on: null, level: "full" });
    return own;
  });
  return { ...fixture, key: own!.key };
}

/** Returns a world of the linked folder whose requests this function answers. */
function worldWith(
  { mirror, key }: ReturnType<typeof openWithKey>,
  answer: (request: WireRequest) => Promise<WireResponse>,
) {
  const base = mirror.world();
  const { clock, random, log } = base;
  const wire: Wire = {
    send: async (request) => ({ kind: "answer", response: await answer(request) }),
    close: closeNothing,
  };
  return { ...base, remote: createRemote({ wire, key, clock, random, log, traits: null }) };
}

function approve({ state }: World): void {
  state.setMeta(META.approved, JSON.stringify(["service-restored"]));
}

/** Syncs four documents and a folder with a service that reports its generation. */
async function settled(seed: number) {
  const fixture = openWithKey(seed);
  const { rig } = fixture;
  const service: { generation: string | null; isFailing: boolean } = { generation: "first", isFailing: false };
  const world = worldWith(fixture, async (request) => {
    const isProof = request.path.startsWith("/v1/files/doc_");
    if (service.isFailing && isProof) return { status: 400, headers: {}, body: "" };
    const { headers, ...rest } = await rig.service.handle(request);
    const { [GENERATION_HEADER]: _own, ...others } = headers;
    const named = service.generation === null ? others : { ...others, [GENERATION_HEADER]: service.generation };
    return { ...rest, headers: named };
  });
  for (const path of ["kept.md", "also.md", "since/one.md", "since/two.md"]) rig.app.create(path, `text of ${path}\n`);
  const sync = () => syncToConvergence(world, OPTIONS);
  expect(await sync()).toMatchObject({ state: "in-sync" });
  return { ...fixture, world, service, sync };
}

type Settled = Awaited<ReturnType<typeof settled>>;

/** Restores the service from a backup, which has nothing that was created since. */
function restore({ rig, service }: Settled): void {
  rig.app.remove("since/one.md");
  rig.app.remove("since/two.md");
  rig.app.removeFolder("since");
  service.generation = "second";
}

async function stopped({ world }: { readonly world: World }) {
  const end = await planOnly(world, OPTIONS);
  if (end.kind === "offline" || end.plan.verdict.kind === "run") throw new Error("it is not halted");
  return { ...end, verdict: end.plan.verdict };
}

test("I04 documents that a restored service lacks stay local until the user approves, who is asked once", async () => {
  const at = await settled(91);
  restore(at);
  at.mirror.write("mine.md", "made here meanwhile\n");
  for (let again = 0; again < 2; again++) {
    const { safetyStop } = await at.sync();
    expect(safetyStop?.reasons).toEqual([
      {
        reason: "service-restored",
        detail:
          "the service was restored from a backup, and 2 documents and 1 folder of this linked folder are not in it",
      },
    ]);
    expect([...at.mirror.texts().keys()].sort()).toEqual([
      "also.md",
      "kept.md",
      "mine.md",
      "since/one.md",
      "since/two.md",
    ]);
    expect(at.rig.app.paths()).toEqual(["also.md", "kept.md"]);
  }
  const { plan, verdict } = await stopped(at);
  const keys = ["service-restored", ...verdict.stoppedSteps.map((index) => toApprovalKey(plan.steps[index]!.action))];
  at.world.state.setMeta(META.approved, JSON.stringify(keys));
  expect(await at.sync()).toMatchObject({ state: "in-sync", counts: { deletedLocal: 2 } });
  expect([...at.mirror.texts().keys()].sort()).toEqual(["also.md", "kept.md", "mine.md"]);
  // From now on it is synced like any other service.
  at.rig.app.remove("mine.md");
  expect(await at.sync()).toMatchObject({ state: "in-sync", counts: { deletedLocal: 1 } });
});

test("I03 after a rejection, documents that a restored service lacks are uploaded as new, with their folder", async () => {
  const at = await settled(93);
  restore(at);
  const { plan, trees } = await stopped(at);
  const items = planRejection(at.world.state, plan, trees);
  expect(items.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    "folder-stays since",
    "stays-as-new since/one.md",
    "stays-as-new since/two.md",
  ]);
  const rejected = await runItems(at.world, "reject", { isOne: false, items });
  expect(rejected.kind === "ok" && rejected.value.items.every(({ end }) => end === "done")).toBe(true);
  expect(await at.sync()).toMatchObject({ state: "in-sync", counts: { createdRemote: 2 } });
  expect(at.rig.app.paths()).toEqual(["also.md", "kept.md", "since/one.md", "since/two.md"]);
  at.rig.app.remove("since/one.md");
  expect(await at.sync()).toMatchObject({ state: "in-sync", counts: { deletedLocal: 1 } });
});

test("a restore in which nothing is lost asks nothing, then or later", async () => {
  const at = await settled(94);
  at.service.generation = "second";
  expect(await at.sync()).toMatchObject({ state: "in-sync" });
  expect(at.world.state.meta(META.generation)).toBe("second");
  at.rig.app.remove("kept.md");
  expect(await at.sync()).toMatchObject({ state: "in-sync", counts: { deletedLocal: 1 } });
});

test("a document that could be neither seen nor proven gone settles no other generation", async () => {
  const at = await settled(95);
  restore(at);
  at.service.isFailing = true;
  await at.sync();
  expect(at.world.state.meta(META.generation)).toBe("first");
  at.service.isFailing = false;
  expect((await at.sync()).safetyStop?.reasons).toMatchObject(RESTORED);
});

test("a service that names no generation, or none any more, is as before", async () => {
  const at = await settled(96);
  at.service.generation = null;
  at.rig.app.remove("kept.md");
  expect(await at.sync()).toMatchObject({ state: "in-sync", counts: { deletedLocal: 1 } });
  expect(at.world.state.meta(META.generation)).toBe("first");
});

/**
 * Syncs two documents, edits one and creates a third, then restores the service from a backup that
 * has neither change.
 */
async function restoredFromBackup() {
  const fixture = openWithKey(81);
  const { rig, mirror } = fixture;
  const id = rig.app.create("plan.md", "first\n");
  rig.app.create("other.md", "other\n");
  await settle(mirror);
  const copy = rig.service.copy();
  mirror.write("plan.md", "second\n");
  mirror.write("since.md", "made since the backup\n");
  await settle(mirror);

  const openBackup = () => new SyncService({ database: { copy }, now: () => rig.clock.now(), random: rollBytes(2) });
  const service: { restored: SyncService; generation: string | null } = { restored: openBackup(), generation: null };
  const restoreAgain = () => Object.assign(service, { restored: openBackup(), generation: "after" });
  const world = worldWith(fixture, async (request) => {
    const { headers, ...rest } = await service.restored.handle(request);
    const named = service.generation === null ? headers : { ...headers, [GENERATION_HEADER]: service.generation };
    return { ...rest, headers: named };
  });
  const { remote } = world;
  const textsThere = async (): Promise<(string | null)[]> => {
    const { items } = await remote.listFiles({ kind: "none" });
    const texts = await Promise.all(items.map((item) => remote.getFile(item.id)));
    return texts.map((answer) =>
      answer.ok ? `${answer.value.id === id ? "plan: " : ""}${answer.value.content}` : null,
    );
  };
  return { mirror, world, remote, textsThere, restoreAgain };
}

test("I03 after a restore of the service from a backup, newer local content is uploaded again, to the same document", async () => {
  const { mirror, world, textsThere } = await restoredFromBackup();
  expect((await syncToConvergence(world, OPTIONS)).safetyStop?.reasons).toMatchObject(RESTORED);
  expect(await textsThere()).toEqual(["plan: first\n", "other\n"]);
  const { plan, trees } = await stopped({ world });
  const items = planRejection(world.state, plan, trees);
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

test("I03 versions of a restored service that a user approved in a folder that only uploads are downloaded once both directions are allowed", async () => {
  const { mirror, world, textsThere } = await restoredFromBackup();
  const uploads = { ...OPTIONS, settings: { ...SETTINGS, direction: "push" } } as const;
  expect((await syncToConvergence(world, uploads)).safetyStop?.reasons).toMatchObject(RESTORED);
  const end = await planOnly(world, uploads);
  if (end.kind === "offline") throw new Error("the service did not answer");
  const items = planRejection(world.state, end.plan, end.trees);
  expect(items.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["newer-text-back plan.md"]);
  approve(world);
  for (let run = 0; run < 2; run++) expect(await syncToConvergence(world, uploads)).toMatchObject({ state: "in-sync" });
  expect(mirror.texts().get("plan.md")).toBe("second\n");
  expect((await textsThere()).slice(0, 2)).toEqual(["plan: first\n", "other\n"]);
  expect(await syncToConvergence(world, OPTIONS)).toMatchObject({ state: "in-sync", counts: { downloaded: 1 } });
  expect(mirror.texts().get("plan.md")).toBe("first\n");
  expect(world.state.meta(META.waived)).toBeNull();
});

test("I03 a user is asked once about a restored service in a folder that only downloads, also if an edited file keeps its version", async () => {
  const { mirror, world, textsThere } = await restoredFromBackup();
  mirror.write("plan.md", "edited\n");
  expect((await syncToConvergence(world, PULL)).safetyStop?.reasons).toMatchObject(RESTORED);
  approve(world);
  for (let run = 0; run < 2; run++) expect(await syncToConvergence(world, PULL)).toMatchObject({ state: "in-sync" });
  expect(mirror.texts().get("plan.md")).toBe("edited\n");
  expect((await textsThere()).slice(0, 2)).toEqual(["plan: first\n", "other\n"]);
});

test("I01 a user is asked once about a restored service, also if a blocked file keeps its version", async () => {
  const { mirror, world, remote } = await restoredFromBackup();
  mirror.write("plan.md", "damaged\0\n");
  expect((await syncToConvergence(world, OPTIONS)).safetyStop?.reasons).toMatchObject(RESTORED);
  approve(world);
  await syncToConvergence(world, OPTIONS);
  expect(Array.from(world.state.blocks(), ({ reason }) => reason)).toEqual(["contains-nul"]);
  const other = [...world.state.load().records.values()].find(({ localPath }) => localPath === "other.md")!;
  await remote.putContent(other.id, other.changeId, "newer\n");
  expect(await syncToConvergence(world, OPTIONS)).toMatchObject({ safetyStop: null, counts: { downloaded: 1 } });
  expect([...mirror.texts()].slice(0, 2)).toEqual([
    ["other.md", "newer\n"],
    ["plan.md", "damaged\0\n"],
  ]);
  mirror.write("plan.md", "second\n");
  expect(await syncToConvergence(world, OPTIONS)).toMatchObject({ state: "in-sync", counts: { downloaded: 1 } });
  expect(mirror.texts().get("plan.md")).toBe("first\n");
  await syncToConvergence(world, OPTIONS);
  expect(world.state.meta(META.waived)).toBeNull();
});

test("I03 a user who approved older versions is asked again if the service is restored a second time", async () => {
  const { mirror, world, remote, restoreAgain } = await restoredFromBackup();
  mirror.write("plan.md", "edited\n");
  await syncToConvergence(world, PULL);
  approve(world);
  await syncToConvergence(world, PULL);
  await syncToConvergence(world, PULL);
  const other = [...world.state.load().records.values()].find(({ localPath }) => localPath === "other.md")!;
  await remote.putContent(other.id, other.changeId, "newer\n");
  await syncToConvergence(world, PULL);
  expect(mirror.texts().get("other.md")).toBe("newer\n");
  restoreAgain();
  for (let run = 0; run < 2; run++)
    expect((await syncToConvergence(world, PULL)).safetyStop?.reasons).toMatchObject(RESTORED);
  expect(mirror.texts().get("other.md")).toBe("newer\n");
  approve(world);
  for (let run = 0; run < 2; run++) expect(await syncToConvergence(world, PULL)).toMatchObject({ state: "in-sync" });
  expect(mirror.texts().get("other.md")).toBe("other\n");
});

/** Starts an idle daemon in sync with documents of a service whose generation the test sets. */
async function resting(documents = 3) {
  const rig = createRig(1);
  for (let n = 0; n < documents; n++) rig.app.create(`note-${n}.md`, `text ${n}\n`);
  const mirror = rig.mirror();
  const service = { generation: "first" };
  const generation = () => service.generation;
  mirror.alterWorld = ({ remote, ...world }) => ({ ...world, remote: withCalls(remote, { generation }) });
  const daemon = await startDaemon({ rig, mirror });
  const known = () => mirror.state.meta(META.generation);
  await daemon.until(() => known() === "first");
  return { rig, mirror, daemon, service, known };
}

test("a list that shows nothing new settles another generation, and deletions need no approval", async () => {
  const { rig, mirror, daemon, service, known } = await resting();
  service.generation = "second";
  await daemon.until(() => known() === "second");
  rig.app.remove("note-1.md");
  await daemon.until(() => !mirror.texts().has("note-1.md"));
  expect(daemon.daemon.status().phase.kind).not.toBe("stopped");
});

test("I02 I04 documents that a restored service may lack stay local, and are not live, by name and with all", async () => {
  const { rig, mirror, daemon, service, known } = await resting();
  rig.app.remove("note-1.md");
  service.generation = "second";
  await daemon.until(() => daemon.daemon.status().phase.kind === "stopped");
  for (const scope of ["note-1.md", ""]) {
    const [, end] = await waitForSync(daemon, [scope]);
    expect([scope, statesOf(end)["note-1.md"]]).toEqual([scope, "waiting"]);
  }
  await daemon.pass(120_000);
  expect([[...mirror.texts().keys()].includes("note-1.md"), known()]).toEqual([true, "first"]);
});

test("I02 documents that a restored service lacks are not live while another check stops their approved changes", async () => {
  const { rig, mirror, daemon } = await resting(14);
  mirror.state.setMeta(META.approved, JSON.stringify(["service-restored"]));
  for (let n = 0; n < 12; n++) rig.app.remove(`note-${n}.md`);
  await daemon.until(() => daemon.daemon.status().phase.kind === "stopped");
  expect(mirror.state.meta(META.safetyStop)).not.toContain("service-restored");
  const [, end] = await waitForSync(daemon, ["note-1.md"]);
  expect(statesOf(end)).toEqual({ "note-1.md": "waiting" });
});

test("I02 a daemon that has just begun answers once it has looked at the service", async () => {
  const { rig, mirror, daemon, service } = await resting();
  await daemon.stop();
  rig.app.remove("note-1.md");
  service.generation = "second";
  const next = new DaemonRig({ rig, mirror });
  const early = await next.daemon.whenSynced(["note-0.md" as LocalPath], AbortSignal.abort());
  expect(statesOf(early)).toEqual({ "note-0.md": "waiting" });
  const [, end] = await waitForSync(next, [""]);
  expect(statesOf(end)["note-1.md"]).toBe("waiting");
});
