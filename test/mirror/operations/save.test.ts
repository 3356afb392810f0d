import { unwrap } from "../../../src/common/trouble.ts";
import { describe, expect, test } from "vitest";
import {
  createDocument,
  moveDocument,
  readDocument,
  type SaveContext,
  saveText,
} from "../../../src/mirror/operations/manual/save.ts";
import type { LocalDisk } from "../../../src/mirror/local/disk.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import { verifyMirror } from "../../../src/mirror/operations/doctor/verify.ts";
import { refusesPaths } from "../../../src/mirror/operations/links/conversion.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { ramMirror, ROOT } from "../../local/benches.ts";
import { rollDice } from "../../simulator/dice.ts";
import type { RamDisk } from "../../simulator/ram-disk.ts";
import { createRig } from "../../simulator/rig.ts";

const NOTE = `${ROOT}/note.md`;

/** @param onSleep called while the save waits; changes the disk like another program */
function open(onSleep: (ram: RamDisk) => void = () => undefined): {
  readonly ram: RamDisk;
  readonly saving: SaveContext;
} {
  const { ram, disk } = ramMirror();
  ram.user.write(NOTE, "old");
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => onSleep(ram) };
  return { ram, saving: { disk: disk as LocalDisk, clock, random: rollDice(3) } };
}

/**
 * Removes the new temporary file, like a concurrent sync, which removes all temporary files that it
 * did not create.
 */
function sweepOnce(ram: RamDisk): void {
  ram.beforeCall = (call, path) => {
    if (call !== "link" || !/\/tmp\/w-[0-9a-f]+$/.test(path)) return;
    ram.beforeCall = null;
    ram.unlink(path);
  };
}

describe("a save beside a linked folder that is at work", () => {
  test("is done, though a run sweeps its new file away before it has its path", async () => {
    const { ram, saving } = open();
    sweepOnce(ram);
    const saved = await saveText(saving, "note.md", "new", digestOf("old"));
    expect(saved).toEqual({ kind: "ok", value: digestOf("new") });
    sweepOnce(ram);
    expect((await createDocument(saving, "f/b.md", "b")).kind).toBe("ok");
    expect([ram.user.read(NOTE), ram.user.read(`${ROOT}/f/b.md`)]).toEqual(["new", "b"]);
  });

  test("a document that is absent for a moment is read, and is not reported as deleted", async () => {
    const { ram, saving } = open((now) => {
      if (!now.user.exists(NOTE)) now.user.rename(`${ROOT}/.~mdmirror-0`, NOTE);
    });
    ram.user.rename(NOTE, `${ROOT}/.~mdmirror-0`);
    expect(await readDocument(saving, "note.md")).toMatchObject({ value: { text: "old", version: digestOf("old") } });
    ram.user.rename(NOTE, `${ROOT}/.~mdmirror-0`);
    expect(await saveText(saving, "note.md", "new", digestOf("old"))).toMatchObject({ value: digestOf("new") });
  });

  test("a deleted document is reported after a few reads, other content immediately", async () => {
    let looks = 0;
    const { ram, saving } = open(() => {
      looks++;
    });
    expect(await readDocument(saving, "none.md")).toEqual({ kind: "ok", value: null });
    expect(looks).toBe(3);
    expect(await saveText(saving, "note.md", "new", digestOf("else"))).toEqual({ kind: "ok", value: null });
    expect(await createDocument(saving, "note.md", "new")).toEqual({ kind: "ok", value: null });
    ram.user.write(`${ROOT}/b.md`, "b");
    const taken = await moveDocument(saving, { path: "note.md", to: "b.md" }, digestOf("old"));
    expect([taken, ram.user.read(NOTE), ram.user.read(`${ROOT}/b.md`)]).toMatchObject([{ value: null }, "old", "b"]);
  });
});

test("other content of the service under the synced version is reported as a difference that no sync ends", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror();
  const id = rig.app.create("a.md", "one\n");
  rig.app.create("b.md", "two\n");
  await mirror.sync();
  rig.app.edit("b.md", "newer\n");
  const world = mirror.world();
  const { getFile } = world.remote;
  world.remote.getFile = async (asked) => {
    const answer = await getFile.call(world.remote, asked);
    return answer.ok && asked === id ? { ...answer, value: { ...answer.value, content: "other\n" } } : answer;
  };
  const verified = unwrap(await verifyMirror(world, ""));
  expect(verified.differing).toEqual([
    { path: "a.md", id, why: expect.any(String) },
    { path: "b.md", id: expect.any(String), why: "the contents differ" },
  ]);
});

type Problem = RunReport["attention"][number];

test.each([
  ["unresolved_reference", "the link leads to nothing", true],
  ["invalid_request", "content references a file which cannot be resolved", false],
  ["invalid_request", "the content is no text", false],
])("a refusal with code %s and %j says that the service takes no links by path: %s", (code, detail, says) => {
  expect(refusesPaths({ attention: [{ code, detail } as Problem] })).toBe(says);
});
