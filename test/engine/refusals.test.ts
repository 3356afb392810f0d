import { expect, it, test } from "vitest";
import { openSynced, problem, settle } from "../promises/fixture.ts";
import { createRig } from "../simulator/rig.ts";
import { identifyMove } from "../../src/mirror/engine/apply/run-effect.ts";
import type { DocId } from "../../src/contract/ids.ts";
import type { RemotePath } from "../../src/contract/path.ts";
import { digestOf } from "../../src/contract/digest.ts";

it("I08 a refused move is not sent again in the same run, though a folder above it moved locally meanwhile", async () => {
  const rig = createRig(12);
  const id = rig.app.create("box/todo.md", "to do\n");
  rig.app.create("work/deep/plan.md", "a plan\n");
  const mirror = rig.mirror({ key: rig.makeKey().key });
  await mirror.sync();
  mirror.rename("box/todo.md", "work/deep/todo.md");
  rig.app.moveFolder("box", "work/deep");
  rig.app.renameFolder("work/deep", "deeper");
  mirror.requests.length = 0;
  const report = await mirror.sync();
  expect(mirror.writes("PATCH")).toHaveLength(1);
  expect(report?.state).toBe("attention");
  expect(mirror.state.load().blocks.get(id)?.reason).toBe("read-only");
  expect([...mirror.texts().keys()].sort()).toEqual(["work/deeper/plan.md", "work/deeper/todo.md"]);
});

it("I08 a refused move of a folder is not sent again in the same run, though its new parent moved locally", async () => {
  const fixture = await openSynced({ "box/todo.md": "to do\n", "work/deep/plan.md": "a plan\n" });
  const { rig, mirror } = fixture;
  const box = [...mirror.state.load().dirs.values()].find(({ localPath }) => localPath === "box")!.id;
  mirror.rename("box", "work/deep/box");
  mirror.write("work/deep/plan.md", "a better plan\n");
  const moves: string[] = [];
  fixture.fault = ({ method, path, body }) => {
    if (method !== "PATCH" || !path.endsWith(`/${box}`)) return null;
    moves.push(JSON.stringify(body));
    if (moves.length === 1) mirror.rename("work/deep", "deep");
    return { status: 400, headers: {}, body: JSON.stringify({ status: 400, code: "invalid_request", detail: "no" }) };
  };
  await mirror.sync();
  expect(moves).toHaveLength(1);
  expect(mirror.state.load().blocks.get(box)?.reason).toBe("refused");
  fixture.fault = () => null;
  await settle(mirror);
  expect(rig.app.paths()).toEqual(["deep/box/todo.md", "deep/plan.md"]);
});

/** The service refuses content that links to unknown ids. */
const REFUSED = ["one [x](doc_00000000000000)\n", "two [x](doc_00000000000000)\n"] as const;

test.each(["a new text", "an edit"])(
  "%s that was refused is not sent again, though another was refused since (I08)",
  async (kind) => {
    const rig = createRig(1, { checksLinks: true });
    const mirror = rig.mirror();
    if (kind === "an edit") rig.app.create("a.md", "as it was\n");
    await mirror.sync();
    const [one, two] = REFUSED;
    mirror.write("a.md", one);
    mirror.write("other-0.md", "other\n");
    mirror.requests.length = 0;
    const isSent = (request: string): boolean => /^(?:POST \/v1\/files|PUT)/.test(request);
    // Each cycle sends a new version of another file, so that a further cycle follows.
    let passes = 1;
    mirror.disk.beforeCall = () => {
      if (passes > 2 || mirror.requests.filter(isSent).length < 2 * passes) return;
      mirror.write("a.md", passes === 1 ? two : one);
      mirror.write(`other-${passes++}.md`, "other\n");
    };
    await mirror.sync();
    mirror.disk.beforeCall = null;
    expect(rig.app.files().has("other-2.md")).toBe(true);
    expect(mirror.requests.filter(isSent)).toHaveLength(5);
    expect(mirror.state.blocks().map(({ reason, digest }) => ({ reason, digest }))).toEqual([
      { reason: "refused", digest: digestOf(one) },
    ]);
    mirror.requests.length = 0;
    await mirror.sync({}, { retryRefused: false });
    expect(mirror.requests.filter(isSent)).toEqual([]);
  },
);

test("a folder that was refused is not made again in the run, though its folder moved on the service (I08)", async () => {
  const rig = createRig(2);
  const mirror = rig.mirror({ key: rig.makeKey().key });
  rig.app.create("work/deep/a.md", "a\n");
  rig.app.create("work/deep/todo.md", "to do\n");
  await mirror.sync();
  mirror.rename("work/deep", "work/deep-2");
  mirror.remove("work/deep-2/todo.md");
  mirror.write("work/deep/todo.md", "new\n");
  rig.app.renameFolder("work/deep", "deep-2");
  mirror.requests.length = 0;
  await mirror.sync({}, { retryRefused: true });
  expect(mirror.requests.filter((request) => request.startsWith("POST /v1/folders"))).toHaveLength(1);
  expect(mirror.texts().get("work/deep-2/todo.md")).toBe("new\n");
});

test("a rename in another folder of the service is another request, whichever folder base has (I08)", () => {
  const requests = ["a/new.md", "b/new.md"].map((to) =>
    identifyMove({ id: "doc_1" as DocId, to: to as RemotePath }, null),
  );
  expect(new Set(requests).size).toBe(2);
});

it("a rename onto what the key cannot read ends when the file gets another name, without a manual retry", async () => {
  const rig = createRig(12);
  rig.app.create("plan.md", "a plan\n");
  rig.app.create("box/a.md", "a\n");
  const hidden = rig.app.create("secret.md", "for others\n");
  const mirror = rig.mirror({ key: keyWithout(rig, hidden) });
  const once = { retryRefused: false } as const;
  await mirror.sync();
  mirror.rename("plan.md", "secret.md");
  const blocked = (await mirror.sync({}, once))!;
  expect(blocked.attention).toMatchObject([{ path: "secret.md", kind: "occupied-unseen" }]);
  mirror.requests.length = 0;
  await mirror.sync({}, once);
  expect(mirror.writes("PATCH")).toEqual([]);
  mirror.rename("secret.md", "open.md");
  expect((await mirror.sync({}, once))?.state).toBe("in-sync");
  expect(rig.app.paths()).toEqual(["box/a.md", "open.md", "secret.md"]);
});

it("I02 I19 a new folder at a place that the key cannot read is blocked with its contents, and nothing is removed", async () => {
  const rig = createRig(13);
  rig.app.create("note.md", "a note\n");
  rig.app.makeFolder("box");
  // The grant that hides the folder stays valid for its path.
  const key = keyWithout(rig, rig.app.idOfFolder("box"));
  rig.app.removeFolder("box");
  const mirror = rig.mirror({ key });
  await mirror.sync();
  mirror.disk.user.makeFolder(mirror.path("box"));
  mirror.write("box/mine.md", "mine\n");
  for (let run = 0; run < 3; run++) {
    const report = await mirror.sync();
    expect(report?.state).toBe("attention");
    expect(mirror.state.load().blocks.get("box")?.reason).toBe("read-only");
    expect(mirror.texts().get("box/mine.md")).toBe("mine\n");
  }
  expect([...rig.app.files().keys()]).toEqual(["note.md"]);
});

/**
 * Returns a key with Full access to everything but one document or folder, which it cannot read.
 */
function keyWithout(rig: ReturnType<typeof createRig>, hidden: string): string {
  return rig.makeKey({ on: null, level: "full" }, { on: hidden, level: "none" }).key;
}

test.each([
  [401, "unauthenticated", { kind: "locked-out", code: "unauthenticated" }],
  [404, "workspace_not_found", { kind: "locked-out", code: "workspace_not_found" }],
] as const)("a run whose writes are answered %d %s ends with that cause", async (status, code, fault) => {
  const rig = createRig(1, { fault: ({ method }) => (method === "GET" ? null : problem(status, code)) });
  const mirror = rig.mirror();
  mirror.write("note.md", "text\n");
  expect(await mirror.sync()).toMatchObject({ state: "offline", fault });
});
