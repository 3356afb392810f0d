import { describe, expect, test } from "vitest";
import { settle } from "../promises/fixture.ts";
import { createRig } from "../simulator/rig.ts";

/**
 * nextcloud/desktop 9259: a client with a full folder was connected to a new, empty server, and
 * deleted all local files. Users expect that their files are uploaded, or that the client asks.
 */

const NOTES = Array.from({ length: 30 }, (_, n) => [`notes/n${n}.md`, `note ${n}\n`] as const);

describe("9259: a folder with files is connected to a new, empty service", () => {
  test("I05 a folder that is linked for the first time is uploaded", async () => {
    const rig = createRig(1);
    const mirror = rig.mirror();
    for (const [path, text] of NOTES) mirror.write(path, text);
    await settle(mirror);
    expect(mirror.texts()).toEqual(new Map(NOTES));
    expect(rig.app.texts()).toEqual(new Map([...NOTES].sort(([a], [b]) => (a < b ? -1 : 1))));
  });

  test("I04 I21 a folder that was linked to another one keeps its files, and the user is asked", async () => {
    const old = createRig(1);
    const before = old.mirror();
    for (const [path, text] of NOTES) before.write(path, text);
    await settle(before);
    const rig = createRig(2);
    const mirror = rig.mirror({}, before.copy());
    for (let run = 0; run < 3; run++) expect(await mirror.sync()).toMatchObject({ state: "stopped" });
    expect(mirror.texts()).toEqual(new Map(NOTES));
    expect(rig.app.files().size).toBe(0);
  });
});
