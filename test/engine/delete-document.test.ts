import { expect, test } from "vitest";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/** What the mirror does between its last look at a document and the answer to its DELETE. */

const body = { status: 404, code: "file_not_found", title: "", detail: "", type: "x:y" };
const NOT_FOUND = { status: 404, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(body) };
const DOWN = { status: 503, headers: { "retry-after": "1" }, body: "" };
const TEXT = "a text\n";

/** null: the service answers as it is. */
type Answering = (request: WireRequest, rig: Rig) => WireResponse | null;

async function start(answering: Answering): Promise<{ readonly rig: Rig; readonly mirror: Mirror }> {
  const rig: Rig = createRig(5, { fault: (request) => answering(request, rig) });
  for (const name of ["note.md", "other.md"]) rig.app.create(name, TEXT);
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.user.remove(mirror.path("note.md"));
  mirror.requests.length = 0;
  return { rig, mirror };
}

const deletes = (mirror: Mirror): string[] => mirror.requests.filter((request) => request.startsWith("DELETE "));

test("I02 I08 a document that it shows all the same comes back, with a note, and its DELETE is not sent again", async () => {
  const { rig, mirror } = await start(({ method }) => (method === "DELETE" ? NOT_FOUND : null));
  const { id } = rig.app.files().get("note.md")!;
  const report = await mirror.sync();
  expect(report).toMatchObject({ state: "attention", attention: [{ path: "note.md", code: "file_not_found" }] });
  expect(Object.fromEntries(mirror.texts())).toEqual({ "note.md": TEXT, "other.md": TEXT });
  expect(rig.app.files().get("note.md")?.id).toBe(id);
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { createdLocal: 0 } });
  expect(deletes(mirror)).toEqual([`DELETE /v1/files/${id}`]);
});

test("I04 one that somebody deleted in this very moment is deleted on both sides", async () => {
  const { rig, mirror } = await start(({ method }, { app }) => {
    if (method === "DELETE" && app.files().has("note.md")) app.remove("note.md");
    return null;
  });
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { deletedRemote: 1 } });
  expect([...mirror.texts().keys()]).toEqual(["other.md"]);
  expect([...rig.app.files().keys()]).toEqual(["other.md"]);
  expect(deletes(mirror)).toHaveLength(1);
});

test("I08 I13 where that cannot be read, the deletion stays unsettled, and a read of the next run settles it", async () => {
  let isDown = false;
  const { rig, mirror } = await start(({ method }, { app }) => {
    if (isDown || method !== "DELETE") return isDown ? DOWN : null;
    app.remove("note.md");
    isDown = true;
    return NOT_FOUND;
  });
  const { id } = rig.app.files().get("note.md")!;
  expect((await mirror.sync())?.state).not.toBe("in-sync");
  isDown = false;
  expect((await mirror.sync())?.state).toBe("in-sync");
  expect(deletes(mirror)).toEqual([`DELETE /v1/files/${id}`]);
  expect([...mirror.texts().keys()]).toEqual(["other.md"]);
});

test("I03 I06 an edit on the service before any other request of the sync is live afterwards", async () => {
  let isOver = false;
  for (let moment = 1; !isOver; moment++) {
    let [requests, isEdited] = [Number.NEGATIVE_INFINITY, false];
    const { mirror } = await start(({ method }, { app }) => {
      if (++requests !== moment || method === "DELETE" || !app.files().has("note.md")) return null;
      app.edit("note.md", "edited\n");
      isEdited = true;
      return null;
    });
    // Steps that write rows of their own beside that of the deletion.
    for (const name of ["a", "b", "c"]) mirror.write(`${name}.md`, `${name}\n`);
    mirror.disk.user.rename(mirror.path("other.md"), mirror.path("moved.md"));
    requests = 0;
    await mirror.sync();
    isOver = requests < moment;
    await mirror.sync();
    expect({ moment, text: mirror.texts().get("note.md") }).toEqual({
      moment,
      text: isEdited ? "edited\n" : undefined,
    });
  }
});
