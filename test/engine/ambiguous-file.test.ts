import { describe, expect, test } from "vitest";
import { createRig, type Rig } from "../simulator/rig.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { remoteTexts, settle } from "../promises/fixture.ts";
import { startDaemon } from "./daemon/rig.ts";

const TEXT = "# Note\n\na first line of some length\na second line of some length\n";
const NEW = "# New\n\nanother text altogether\n";

function madeRig(): { rig: Rig; id: string } {
  const rig = createRig(71);
  rig.app.create("stays.md", "stays\n");
  return { rig, id: rig.app.create("note.md", TEXT) };
}

/** The user copies a document twice, and an editor replaces it by another text. */
function copyTwice(mirror: Mirror): void {
  for (const name of ["x.md", "y.md"]) mirror.write(name, TEXT);
  mirror.disk.user.saveAtomically(mirror.path("note.md"), NEW);
}

describe("a document that may be any of several files", () => {
  async function blocked() {
    const { rig, id } = madeRig();
    const mirror = rig.mirror();
    await settle(mirror);
    copyTwice(mirror);
    rig.app.edit("note.md", `${TEXT}by a colleague\n`);
    const texts = [mirror.texts(), remoteTexts(rig)];
    const before = mirror.requests.length;
    const told = { state: "attention", attention: [{ path: "note.md", kind: "ambiguous-file" }] };
    for (let sync = 0; sync < 2; sync++) expect(await mirror.sync()).toMatchObject(told);
    expect([mirror.texts(), remoteTexts(rig)]).toEqual(texts);
    expect(mirror.requests.slice(before).filter((request) => !request.startsWith("GET "))).toEqual([]);
    return { rig, mirror, id };
  }
  test("I09 I22 is blocked, and none of them is touched; with one of two left elsewhere it is that one", async () => {
    const { rig, mirror, id } = await blocked();
    mirror.disk.user.remove(mirror.path("y.md"));
    await settle(mirror);
    expect(rig.app.files().get("x.md")).toMatchObject({ id, text: `${TEXT}by a colleague\n` });
    expect(rig.app.files().get("note.md")).toMatchObject({ text: NEW });
    expect(mirror.texts()).toEqual(remoteTexts(rig));
  });
  test("I09 with the file at its path alone it is that file, and what was moved out comes back as new", async () => {
    const { rig, mirror, id } = await blocked();
    for (const name of ["x.md", "y.md"]) mirror.disk.user.rename(mirror.path(name), `/${name}`);
    await settle(mirror);
    expect(rig.app.files().get("note.md")).toMatchObject({ id });
    for (const name of ["x.md", "y.md"]) mirror.disk.user.rename(`/${name}`, mirror.path(name));
    await settle(mirror);
    expect([rig.app.files().get("x.md")?.text, rig.app.files().get("y.md")?.text]).toEqual([TEXT, TEXT]);
  });
  test("I09 a daemon continues as soon as one of them is gone, and sends no request meanwhile", async () => {
    const { rig: made, id } = madeRig();
    const rig = await startDaemon({ rig: made });
    copyTwice(rig.mirrored);
    for (const path of ["x.md", "y.md", "note.md"]) rig.hint({ kind: "path", path });
    await rig.pass(3_000);
    expect(rig.daemon.status().lastReport!.attention).toMatchObject([{ path: "note.md", kind: "ambiguous-file" }]);
    expect(rig.sent().filter((request) => !request.startsWith("GET "))).toEqual([]);
    rig.remove("y.md");
    await rig.pass(3_000);
    expect(rig.app.files().get("x.md")).toMatchObject({ id, text: TEXT });
    expect(rig.app.files().get("note.md")).toMatchObject({ text: NEW });
    await rig.stop();
  });
});
