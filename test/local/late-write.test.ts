import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { LocalDisk } from "../../src/mirror/local/disk.ts";
import type { Disk, DiskOutcome } from "../../src/mirror/ports/disk.ts";
import type { RamDisk, RamDiskOptions } from "../simulator/ram-disk.ts";
import type { RamUser } from "../simulator/ram-user.ts";
import { ramMirror, ROOT } from "./benches.ts";

const at = (below: string) => `${ROOT}/${below}`;
const NOTE = at("note.md");

/**
 * Ways in which a user's program writes to `note.md` at some moment. Each leaves the content "mine"
 * somewhere.
 */
const SAVES: Readonly<Record<string, (user: RamUser) => () => void>> = {
  "writes in place": (user) => () => user.write(NOTE, "mine"),
  "saves by a new file renamed over": (user) => () => user.saveAtomically(NOTE, "mine"),
  "deletes and creates": (user) => () => {
    user.remove(NOTE);
    user.write(NOTE, "mine");
  },
  "writes through a handle opened before": (user) => {
    const handle = user.open(NOTE);
    return () => handle.write("mine");
  },
  "renames the note to a backup and writes anew": (user) => () => {
    if (user.exists(NOTE)) user.rename(NOTE, at("note.md.bak"));
    user.write(NOTE, "mine");
  },
  "moves another file over it": (user) => {
    user.write(at("draft.md"), "mine");
    return () => user.rename(at("draft.md"), NOTE);
  },
  "puts a folder in its place": (user) => () => {
    if (user.exists(NOTE)) user.rename(NOTE, at("aside.md"));
    user.makeFolder(NOTE);
    user.write(`${NOTE}/inside.md`, "mine");
  },
  "puts a symlink in its place": (user) => () => {
    user.write(at("target.md"), "mine");
    user.remove(NOTE);
    user.symlink("target.md", NOTE);
  },
};

const EFFECTS: Readonly<Record<string, (disk: Disk) => DiskOutcome<unknown>>> = {
  replace: (disk) => disk.replace("note.md", "theirs", digestOf("old"), "tmp/park"),
  move: (disk) => disk.move("note.md", "to/moved.md", digestOf("old")),
  "move, whatever it holds": (disk) => disk.move("note.md", "to/moved.md", null),
  trash: (disk) => disk.trash("note.md", digestOf("old"), "trash/d/note.md"),
  "save over": (disk) => (disk as LocalDisk).saveOver("note.md", "theirs", digestOf("old"), "trash/d/note.md"),
};

function prepare(options: RamDiskOptions): { ram: RamDisk; disk: Disk } {
  const { ram, disk } = ramMirror(options);
  ram.user.makeFolder(at("to"));
  ram.user.write(NOTE, "old");
  disk.identify();
  disk.names();
  return { ram, disk };
}

/**
 * Runs the effect, with the save at its disk call number `moment`. Returns null if it has fewer
 * calls.
 */
function race(options: RamDiskOptions, effect: string, save: string, moment: number, noLinks: string | null = null) {
  const { ram, disk } = prepare(options);
  if (noLinks !== null) ram.fail({ call: "link", path: null, code: noLinks });
  const act = SAVES[save]!(ram.user);
  let calls = 0;
  let call: string | null = null;
  ram.beforeCall = (name, path) => {
    if (calls++ !== moment) return;
    call = `${name} ${path.slice(ROOT.length + 1).replace(/-[0-9a-f]{16}/, "-*")}`;
    act();
  };
  const outcome = EFFECTS[effect]!(disk);
  ram.beforeCall = null;
  return call === null ? null : { ram, disk, outcome, call };
}

const DISKS: Readonly<Record<string, RamDiskOptions>> = {
  "hard links": {},
  "hard links, every change its own time": { granularityMs: 0 },
  "hard links, FAT's times": { granularityMs: 2_000, reusesInodes: false },
};

const SKIPPED = /(?:^|\/)w-/;

/** Expects the content in the file, in a set-aside file that the journal names, or in the trash. */
function expectKept({ ram, disk, outcome }: NonNullable<ReturnType<typeof race>>, what: string): void {
  const everything = [...ram.user.texts(ROOT, true)].filter(([path]) => !SKIPPED.test(path));
  const holders = everything.filter(([, text]) => text === "mine").map(([path]) => path);
  expect(holders, `${what}: ${JSON.stringify(outcome)}`).not.toEqual([]);
  const live = holders.some((path) => !path.startsWith(".mdmirror/"));
  if (live) return;
  const named =
    holders.includes(".mdmirror/tmp/park") ||
    (outcome.kind === "done" && holders.includes(".mdmirror/trash/d/note.md"));
  expect([what, named || outcome.kind !== "done"]).toEqual([what, true]);
  // The sweep keeps set-aside files that no row of the journal names.
  disk.sweep(new Set(["tmp/park"]));
  expect([what, [...ram.user.texts(ROOT, true).values()].includes("mine")]).toEqual([what, true]);
}

describe("I14 a save at any moment of an effect survives", () => {
  for (const [disk, options] of Object.entries(DISKS)) {
    it(`on a disk with ${disk}`, () => {
      let races = 0;
      for (const effect of Object.keys(EFFECTS)) {
        for (const save of Object.keys(SAVES)) {
          for (let moment = 0; ; moment++) {
            const raced = race(options, effect, save, moment);
            if (raced === null) break;
            races++;
            expectKept(raced, `${effect}, ${save}, at ${moment} (${raced.call})`);
          }
        }
      }
      expect(races).toBeGreaterThan(500);
    });
  }

  it("reports that the old text stays set aside, and only then", () => {
    for (const save of Object.keys(SAVES)) {
      for (let moment = 0; ; moment++) {
        const raced = race({}, "replace", save, moment);
        if (raced === null) break;
        const aside = raced.disk.readSetAside("tmp/park", "d/note.md");
        const isParked = aside.kind !== "done" || aside.value !== null;
        const said = raced.outcome.kind !== "done" && raced.outcome.isSetAside === true;
        expect([save, raced.call, said]).toEqual([save, raced.call, isParked && raced.outcome.kind !== "done"]);
        if (raced.outcome.kind === "done") expect([save, raced.call, isParked]).toEqual([save, raced.call, true]);
      }
    }
  });

  it("shows a write to the set-aside inode after the replacement", () => {
    const { ram, disk } = prepare({});
    const editor = ram.user.open(NOTE);
    expect(disk.replace("note.md", "theirs", digestOf("old"), "tmp/park").kind).toBe("done");
    editor.write("mine");
    expect(disk.readSetAside("tmp/park", "a.md")).toMatchObject({ value: { text: "mine" } });
  });

  it("keeps a moved file that another program took the new name from", () => {
    const { ram, disk } = prepare({});
    const editor = ram.user.open(NOTE);
    ram.beforeCall = (call, path) => {
      if (call === "rename" && path === NOTE) ram.user.saveAtomically(at("to/moved.md"), "other");
    };
    disk.move("note.md", "to/moved.md", null);
    ram.beforeCall = null;
    editor.write("mine");
    disk.sweep(new Set());
    expect([...ram.user.texts(ROOT, true).values()]).toEqual(expect.arrayContaining(["mine", "other"]));
  });

  it("leaves another file at the new path of a move that a save stops", () => {
    const { ram, disk } = prepare({});
    ram.user.write(at("draft.md"), "other");
    ram.beforeCall = (call, path) => {
      if (call !== "rename" || path !== NOTE) return;
      ram.user.saveAtomically(NOTE, "mine");
      ram.user.rename(at("draft.md"), at("to/moved.md"));
    };
    expect(disk.move("note.md", "to/moved.md", null).kind).toBe("stale");
    expect([ram.user.read(NOTE), ram.user.read(at("to/moved.md"))]).toEqual(["mine", "other"]);
  });

  // Some disks report first that the name is taken, others that they have no hard links.
  it.each([
    ["EPERM, after EEXIST", { hardLinks: false }, null],
    ["ENOTSUP, at once", {}, "ENOTSUP"],
    ["EACCES, at once", {}, "EACCES"],
  ] as const)("without hard links (%s) only a file made right before the rename is lost (RACE)", (_, options, code) => {
    const lost = new Set<string>();
    for (const effect of Object.keys(EFFECTS)) {
      for (const save of Object.keys(SAVES)) {
        for (let moment = 0; ; moment++) {
          const raced = race(options, effect, save, moment, code);
          if (raced === null) break;
          const texts = [...raced.ram.user.texts(ROOT, true)].filter(([path]) => !SKIPPED.test(path));
          if (!texts.some(([, text]) => text === "mine")) lost.add(`${effect}: ${raced.call}`);
        }
      }
    }
    expect([...lost]).toEqual(["replace: rename .mdmirror/tmp/w-*", "save over: rename .mdmirror/tmp/w-*"]);
  });
});
