import { describe, expect, it } from "vitest";
import type { LocalTree } from "../../src/mirror/model/tree.ts";
import { ramMirror, ROOT } from "./benches.ts";

const nothing = () => null;
const noText = () => undefined;
const FOLDERS = 8;
const EACH = 100;

/** Folders `f0` … `f7` of a hundred files each: some pauses. */
function wideMirror() {
  const mirror = ramMirror();
  for (let folder = 0; folder < FOLDERS; folder++) {
    mirror.ram.user.makeFolder(mirror.at(`f${folder}`));
    for (let n = 0; n < EACH; n++) mirror.ram.user.write(mirror.at(`f${folder}/${n}.md`), `text ${n} of ${folder}`);
  }
  return mirror;
}

/** @param inPause told the number of each pause, from 1 */
function walkPausing(disk: ReturnType<typeof ramMirror>["disk"], inPause: (pause: number) => void) {
  const walk = disk.walkInParts(nothing, noText);
  for (let pause = 1; ; pause++) {
    const part = walk.next();
    if (part.done === true) return { tree: part.value, pauses: pause - 1 };
    inPause(pause);
  }
}

const shown = ({ files, folders, others, unseen }: LocalTree) => [[...files], [...folders], [...others], [...unseen]];

describe("a walk in parts", () => {
  it("pauses, and sees what a walk without a pause sees", () => {
    const { disk } = wideMirror();
    const { tree, pauses } = walkPausing(disk, () => undefined);
    expect(pauses).toBeGreaterThan(2);
    expect(tree.files.size).toBe(FOLDERS * EACH);
    expect(shown(tree)).toEqual(shown(disk.walk(nothing, noText)));
  });

  it("I04 takes a file that moves in any pause, either way, neither for absent nor for two", () => {
    const { pauses } = walkPausing(wideMirror().disk, () => undefined);
    for (let moment = 1; moment <= pauses; moment++) {
      for (const [from, to] of [
        ["f0/50.md", "f7/moved.md"],
        ["f7/50.md", "f0/moved.md"],
      ] as const) {
        const { ram, at, disk } = wideMirror();
        const { tree } = walkPausing(disk, (pause) => {
          if (pause === moment) ram.user.rename(at(from), at(to));
        });
        // After the last look at both folders it may still be seen where it was.
        const found = Number(tree.files.has(from)) + Number(tree.files.has(to));
        expect([moment, from, found, tree.unseen.size]).toEqual([moment, from, 1, 0]);
        if (moment === 1) expect(tree.files.has(to)).toBe(true);
      }
    }
  });

  it("I04 proves no absence when the root goes away in a pause", () => {
    const { ram, disk } = wideMirror();
    const { tree } = walkPausing(disk, (pause) => {
      if (pause === 1) ram.user.rename(ROOT, "/home/away");
    });
    expect(tree.unseen.has("")).toBe(true);
  });
});
