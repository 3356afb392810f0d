import { expect, test } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import { moveRequest } from "../../src/mirror/engine/apply/refused-before.ts";
import type { DocId } from "../../src/contract/ids.ts";
import type { RemotePath } from "../../src/contract/path.ts";
import { digestOf } from "../../src/contract/digest.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";

/** The service refuses texts that link to what is nowhere. */
const REFUSED = ["one [x](doc_00000000000000)\n", "two [x](doc_00000000000000)\n"] as const;

test.each(["a new text", "an edit"])(
  "%s that was refused is not sent again in the run, though another was refused since (I08)",
  async (kind) => {
    const rig = createRig(1, { checksLinks: true });
    const mirror = rig.mirror();
    if (kind === "an edit") rig.app.create("a.md", "as it was\n");
    await mirror.sync();
    const [one, two] = REFUSED;
    mirror.write("a.md", one);
    mirror.write("other-0.md", "other\n");
    mirror.requests.length = 0;
    const world = mirror.world();
    const isSent = (request: string): boolean => /^(?:POST \/v1\/files|PUT)/.test(request);
    const enter = mirror.disk.beforeCall;
    // In each pass one other file is sent, so that another pass follows, with another text.
    let passes = 1;
    mirror.disk.beforeCall = (...call) => {
      enter?.(...call);
      if (passes > 2 || mirror.requests.filter(isSent).length < 2 * passes) return;
      mirror.write("a.md", passes === 1 ? two : one);
      mirror.write(`other-${passes++}.md`, "other\n");
    };
    await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
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
  const { key } = rig.service.admin.createKey({
    workspaceId: rig.service.admin.workspaces()[0]!.id,
    grants: [{ on: null, level: "read" }],
  }) as { key: string };
  const mirror = rig.mirror({ key });
  rig.app.create("work/deep/a.md", "a\n");
  rig.app.create("work/deep/todo.md", "to do\n");
  await mirror.sync();
  const { user } = mirror.disk;
  user.rename(mirror.path("work/deep"), mirror.path("work/deep-2"));
  user.remove(mirror.path("work/deep-2/todo.md"));
  mirror.write("work/deep/todo.md", "new\n");
  rig.app.renameFolder("work/deep", "deep-2");
  mirror.requests.length = 0;
  await mirror.sync({}, { retryRefused: true });
  expect(mirror.requests.filter((request) => request.startsWith("POST /v1/folders"))).toHaveLength(1);
  expect(mirror.texts().get("work/deep-2/todo.md")).toBe("new\n");
});

test("a rename in another folder of the service is another request, whatever folder base names (I08)", () => {
  const requests = ["a/new.md", "b/new.md"].map((to) =>
    moveRequest({ id: "doc_1" as DocId, to: to as RemotePath }, null),
  );
  expect(new Set(requests).size).toBe(2);
});
