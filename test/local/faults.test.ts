import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";
import { readErrno } from "../../src/mirror/local/results.ts";
import type { RamCall, RamDisk, RamDiskOptions } from "../simulator/ram-disk.ts";
import { RamError } from "../simulator/ram-calls.ts";
import { ramMirror, ROOT, walkAll } from "./benches.ts";

const at = (below: string) => `${ROOT}/${below}`;

const EFFECTS: Readonly<Record<string, (disk: Disk) => { readonly kind: string; readonly isSetAside?: true }>> = {
  create: (disk) => disk.create("n.md", "new"),
  replace: (disk) => disk.replace("old.md", "new", digestOf("old"), "tmp/park"),
  move: (disk) => disk.move("old.md", "f/m.md", digestOf("old")),
  trash: (disk) => disk.trash("old.md", digestOf("old"), "trash/d/old.md"),
  makeFolder: (disk) => disk.makeFolder("h"),
  moveFolder: (disk) => disk.moveFolder("f", "h"),
  removeFolder: (disk) => disk.removeFolder("f", "trash/d/f"),
  putBack: (disk) => disk.putBack("tmp/parked", "n.md"),
};

const ERRNOS = [
  "EACCES",
  "EBUSY",
  "EDQUOT",
  "EIO",
  "EMFILE",
  "ENAMETOOLONG",
  "ENOMEM",
  "ENOSPC",
  "EPERM",
  "EROFS",
  "ESTALE",
  "ETIMEDOUT",
  "EXDEV",
];

function prepare(options: RamDiskOptions = {}): { ram: RamDisk; disk: Disk } {
  const { ram, disk } = ramMirror(options);
  ram.user.write(at("old.md"), "old");
  ram.user.makeFolder(at("f"));
  ram.user.write(at(".mdmirror/tmp/parked"), "parked");
  disk.identify();
  disk.names();
  return { ram, disk };
}

const WRITES: ReadonlySet<RamCall> = new Set([
  "writeNew",
  "writeNew.bytes",
  "writeNew.sync",
  "rename",
  "link",
  "unlink",
  "mkdir",
  "rmdir",
]);

/**
 * Fails one call, or all writing calls from that one on.
 * @returns null if the effect has fewer calls
 */
function failAt(effect: string, moment: number, errno: string, onwards: boolean, options?: RamDiskOptions) {
  const { ram, disk } = prepare(options);
  const before = ram.user.texts(ROOT);
  let calls = 0;
  let hit: string | null = null;
  ram.beforeCall = (call, path) => {
    const now = calls++;
    if (now === moment || (onwards && now > moment && WRITES.has(call))) {
      hit ??= `${call} ${path.slice(ROOT.length)}`;
      throw new RamError(errno, call, path);
    }
  };
  const outcome = EFFECTS[effect]!(disk);
  ram.beforeCall = null;
  return hit === null ? null : { ram, before, outcome, what: `${effect}: ${errno} at ${moment}, ${hit}` };
}

function expectHandled({ ram, before, outcome, what }: NonNullable<ReturnType<typeof failAt>>, onwards: boolean): void {
  const tree = ram.user.texts(ROOT);
  const texts = [...ram.user.texts(ROOT, true).values()];
  for (const text of ["old", "parked"]) expect([what, text, texts.includes(text)]).toEqual([what, text, true]);
  const temps = [...ram.user.texts(ROOT, true).keys()].filter((path) => /\/tmp\/w-/.test(path));
  if (!onwards && !what.includes("unlink")) expect([what, temps]).toEqual([what, []]);
  if (outcome.kind === "done") return;
  // Either nothing was changed, or the caller learns that the intent must stay open.
  const folderMade = /^makeFolder: .*lstat \/h$/.test(what);
  if (outcome.isSetAside === undefined && !folderMade) expect([what, [...tree]]).toEqual([what, [...before]]);
  const names = ram.user.texts(ROOT, true);
  const aside = names.has(".mdmirror/tmp/park") || names.has(".mdmirror/trash/d/old.md") || tree.has("f/m.md");
  expect([what, outcome.isSetAside === true]).toEqual([what, aside]);
}

describe("a disk that refuses", () => {
  for (const onwards of [false, true]) {
    it.each(Object.keys(EFFECTS))(
      `%s changes nothing, or all of it, when ${onwards ? "every write from some call on" : "any one call"} fails`,
      (effect) => {
        for (const errno of ERRNOS) {
          for (let moment = 0; ; moment++) {
            const failed = failAt(effect, moment, errno, onwards);
            if (failed === null) break;
            expectHandled(failed, onwards);
          }
        }
      },
    );
  }

  it("says the errno and its meaning", () => {
    const { ram, disk } = prepare();
    ram.fail({ call: "writeNew.bytes", path: null, code: "EDQUOT" });
    expect(disk.create("n.md", "new")).toEqual({
      kind: "fault",
      errno: "EDQUOT",
      detail: "n.md: the quota is used up (EDQUOT)",
    });
  });

  it("ENOSPC leaves the old content and no temporary file", () => {
    const { ram, disk } = prepare();
    ram.capacity = 20;
    const long = "x".repeat(100);
    expect(disk.create("n.md", long)).toMatchObject({ kind: "fault", errno: "ENOSPC" });
    expect(disk.replace("old.md", long, digestOf("old"), "tmp/park")).toMatchObject({ kind: "fault", errno: "ENOSPC" });
    expect([...ram.user.texts(ROOT)]).toEqual([["old.md", "old"]]);
    expect(disk.readSetAside("tmp/parked", "old.md")).not.toMatchObject({ value: null });
  });

  it("a name that is too long is a fault of that name alone", () => {
    const { disk } = prepare();
    const name = `${"n".repeat(253)}.md`;
    expect(disk.create(name, "x")).toMatchObject({ kind: "fault", errno: "ENAMETOOLONG" });
    expect(disk.move("old.md", name, null)).toMatchObject({ kind: "fault", errno: "ENAMETOOLONG" });
    expect(disk.look("old.md").kind).toBe("file");
  });

  it("a scan that fails is unknown, never absent (I04)", () => {
    for (const call of ["lstat", "realpath", "readFile"] as const) {
      for (const errno of ["EACCES", "EIO", "ESTALE", "ETIMEDOUT", "EAGAIN", "EFBIG"]) {
        const { ram, disk } = prepare();
        ram.fail({ call, path: null, code: errno });
        expect([call, errno, disk.look("old.md").kind]).toEqual([call, errno, "unknown"]);
      }
    }
  });

  it.each(["EACCES", "EPERM"])("a folder that refuses every call (%s) reports no open file and no content", (code) => {
    const { ram, disk } = prepare();
    ram.user.write(at("f/a.md"), "a");
    const tree = walkAll(disk);
    ram.fail({ call: "any", path: at("f"), code });
    expect(disk.useOf("f/a.md")).toEqual({ changedMs: null, savedMs: null, openIn: null });
    expect(disk.scanFiles(tree, ["f/a.md"], () => undefined)).toBeNull();
  });

  it("flush names each file that is not durable, also by its folder", async () => {
    const { ram, disk } = prepare();
    disk.create("f/a.md", "1");
    disk.create("f/b.md", "2");
    const heal = ram.fail({ call: "sync", path: at("f/a.md"), code: "EIO" });
    expect(await disk.flush(["f/a.md", "f/b.md"])).toEqual([{ path: "f/a.md", errno: "EIO" }]);
    heal();
    ram.fail({ call: "sync", path: at("f"), code: "EIO", times: 3 });
    expect((await disk.flush(["f/a.md", "old.md"])).map(({ path }) => path)).toEqual(["f/a.md"]);
  });

  it("sweeping, discarding and listing never throw for an errno", () => {
    const { ram, disk } = prepare();
    ram.fail({ call: "unlink", path: null, code: "EROFS" });
    ram.fail({ call: "rename", path: null, code: "EROFS" });
    disk.removeSetAside("tmp/parked");
    disk.sweep(new Set());
    expect(disk.readSetAside("tmp/parked", "old.md")).not.toMatchObject({ value: null });
  });

  it("knows an errno from every other error", () => {
    expect(readErrno(Object.assign(new Error("x"), { code: "ENOSPC" }))).toBe("ENOSPC");
    expect(readErrno(Object.assign(new Error("x"), { code: "Unknown system error -9999" }))).toBe("E9999");
    for (const code of ["ERR_INVALID_ARG_VALUE", "E", "SQLITE_BUSY", undefined, 28])
      expect(readErrno(Object.assign(new Error("x"), { code }))).toBeNull();
    expect(readErrno({ code: "ENOSPC" })).toBeNull();
  });
});
