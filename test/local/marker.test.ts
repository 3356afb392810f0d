import { expect, test } from "vitest";
import { makeMirrorFolder, readMarker } from "../../src/mirror/local/marker.ts";
import { RamDisk } from "../simulator/ram-disk.ts";

class Killed extends Error {}

test("I13 killed at any call while `.mdmirror` is created, the next call completes it", () => {
  for (const hardLinks of [true, false]) {
    for (let at = 1; ; at++) {
      const disk = new RamDisk({ hardLinks });
      disk.user.makeFolder("/notes");
      let calls = 0;
      disk.beforeCall = () => {
        if (++calls === at) throw new Killed();
      };
      let killed = false;
      try {
        makeMirrorFolder(disk, "/notes", "first");
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        killed = true;
      }
      disk.beforeCall = null;
      const before = readMarker(disk, "/notes");
      expect([null, "first"]).toContain(before);
      makeMirrorFolder(disk, "/notes", "second");
      expect(readMarker(disk, "/notes")).toBe(before ?? "second");
      if (!killed) break;
    }
  }
});

test("an existing marker stays, and one that a kill left empty is written", () => {
  const disk = new RamDisk();
  disk.user.makeFolder("/notes");
  makeMirrorFolder(disk, "/notes", "first");
  makeMirrorFolder(disk, "/notes", "second");
  expect(readMarker(disk, "/notes")).toBe("first");
  disk.user.write("/notes/.mdmirror/marker", "");
  makeMirrorFolder(disk, "/notes", "third");
  expect(readMarker(disk, "/notes")).toBe("third");
  expect(
    disk
      .readdir("/notes/.mdmirror")
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([".gitignore", "marker", "tmp", "trash"]);
});
