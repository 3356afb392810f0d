import { expect, it } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { type Fixture, keepsText, openFixture, settle, openSynced } from "../promises/fixture.ts";

/**
 * The client reads a document by itself where the answer to a write tells too little. What that
 * read shows may be edited there before anybody else reads it.
 */

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);
const FIRST = LINES.with(3, "written there\n\n").join("");
const SECOND = LINES.with(3, "written there once more\n\n").join("");

/**
 * After a write of that method, the document's first read shows one edit, and whatever comes next
 * finds another one.
 */
function editBesideRead(fixture: Fixture, method: string, path: string, second: string): { readonly reads: number } {
  const done = { isWritten: false, reads: 0 };
  fixture.onRequest = (request) => {
    if (done.reads === 1) fixture.rig.app.edit(path, second);
    if (done.reads === 0 && done.isWritten) fixture.rig.app.edit(path, FIRST);
    if (done.isWritten) done.reads++;
    if (request.method === method) done.isWritten = true;
  };
  return done;
}

/** A file is new locally, and the answer to its POST contains only an id. */
async function writeAnsweredById(fixture: Fixture): Promise<() => DocId | null> {
  const { rig, mirror } = fixture;
  // Once enough are read back, the next one is not.
  for (const n of [1, 2, 3, 4]) mirror.write(`known-${n}.md`, `known ${n}\n`);
  await settle(mirror);
  let id: DocId | null = null;
  fixture.fault = ({ method, path, body }) => {
    if (method !== "POST" || path !== "/v1/files") return null;
    id = rig.app.create("note.md", String(body!["content"]));
    return { status: 201, headers: { "content-type": "application/json" }, body: JSON.stringify({ id }) };
  };
  mirror.write("note.md", LINES.join(""));
  return () => id;
}

it("I03 the text is kept that is read after a rename whose answer names no version", async () => {
  const fixture = await openSynced({ "a.md": LINES.join("") }, {}, { changeIdMovesOnRename: true });
  const { mirror } = fixture;
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
  const done = editBesideRead(fixture, "PATCH", "b.md", SECOND);
  await mirror.sync();
  fixture.onRequest = () => undefined;
  expect(done.reads).toBeGreaterThan(1);
  expect(keepsText(fixture, FIRST)).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("b.md")).toBe(SECOND);
});

it("I03 the text is kept that is read after a new document whose answer names no version", async () => {
  const fixture = openFixture(72);
  const { mirror } = fixture;
  const id = await writeAnsweredById(fixture);
  const done = editBesideRead(fixture, "POST", "note.md", SECOND);
  await mirror.sync();
  fixture.onRequest = () => undefined;
  expect(done.reads).toBeGreaterThan(1);
  expect(mirror.state.link(id()!)).not.toBeNull();
  expect(keepsText(fixture, FIRST)).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe(SECOND);
});

it("I01 I07 I12 a new document that was edited on the service before its version was read is downloaded as edited", async () => {
  const fixture = openFixture(73);
  const { rig, mirror } = fixture;
  await writeAnsweredById(fixture);
  const done = editBesideRead(fixture, "POST", "note.md", FIRST);
  await settle(mirror);
  fixture.onRequest = () => undefined;
  expect(done.reads).toBeGreaterThan(0);
  expect(mirror.texts().get("note.md")).toBe(FIRST);
  mirror.write("note.md", `${FIRST}written here\n`);
  await settle(mirror);
  expect(rig.app.files().get("note.md")?.text).toBe(`${FIRST}written here\n`);
});

it("I03 the text is kept that is read before the plan is judged, and that has another version than the list", async () => {
  const fixture = openFixture(74);
  const { rig, mirror } = fixture;
  for (const path of ["a.md", "b.md"]) rig.app.create(path, LINES.join(""));
  await settle(mirror);
  // Both documents may have become empty, so both are read.
  for (const path of ["a.md", "b.md"]) rig.app.edit(path, LINES.with(1, "edited\n\n").join(""));
  const { id } = rig.app.files().get("a.md")!;
  const edits = [FIRST, SECOND];
  fixture.onRequest = ({ path }) => {
    const text = path === `/v1/files/${id}` ? edits.shift() : undefined;
    if (text !== undefined) rig.app.edit("a.md", text);
  };
  await mirror.sync();
  expect(edits).toEqual([]);
  expect(keepsText(fixture, FIRST)).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("a.md")).toBe(SECOND);
});
