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
import { ramMirror, ROOT } from "../../local/benches.ts";
import { rollDice } from "../../simulator/dice.ts";
import type { RamDisk } from "../../simulator/ram-disk.ts";

const NOTE = `${ROOT}/note.md`;

/** `onSleep` is what others do while somebody waits for another look. */
function open(onSleep: (ram: RamDisk) => void = () => undefined): {
  readonly ram: RamDisk;
  readonly saving: SaveContext;
} {
  const { ram, disk } = ramMirror();
  ram.user.write(NOTE, "old");
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => onSleep(ram) };
  return { ram, saving: { disk: disk as LocalDisk, clock, random: rollDice(3) } };
}

/** What a run of the mirror does beside: temporary files of whoever it does not know go. */
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
    expect(saved).toEqual({ kind: "ok", value: { kind: "saved", value: { version: digestOf("new") } } });
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
    expect(await saveText(saving, "note.md", "new", digestOf("old"))).toMatchObject({ value: { kind: "saved" } });
  });

  test("a deleted document is reported after a few reads, other content immediately", async () => {
    let looks = 0;
    const { ram, saving } = open(() => {
      looks++;
    });
    expect(await readDocument(saving, "none.md")).toEqual({ kind: "ok", value: null });
    expect(looks).toBe(3);
    expect(await saveText(saving, "note.md", "new", digestOf("else"))).toMatchObject({ value: { kind: "changed" } });
    expect(await createDocument(saving, "note.md", "new")).toMatchObject({ value: { kind: "changed" } });
    ram.user.write(`${ROOT}/b.md`, "b");
    const taken = await moveDocument(saving, { path: "note.md", to: "b.md" }, digestOf("old"));
    expect([taken, ram.user.read(NOTE), ram.user.read(`${ROOT}/b.md`)]).toMatchObject([
      { value: { kind: "changed" } },
      "old",
      "b",
    ]);
  });
});
