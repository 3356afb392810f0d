import { describe, expect, test } from "vitest";
import { createRig, type Rig } from "../simulator/rig.ts";
import type { Mirror } from "../simulator/mirror.ts";
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
