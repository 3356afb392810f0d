import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { madeListOf, noterIn } from "../../src/app/mirror/made-list.ts";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { LocalPath, RemotePath } from "../../src/model/path.ts";
import type { MadeEntry } from "../../src/ports/disk.ts";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "mdmirror-made-")), ".mdmirror");
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

/** About to be made. */
const named = (n: number): MadeEntry => ({
  path: `a "b"\n ü ${n}.md` as LocalPath,
  id: `doc_${n}` as DocId,
  remotePath: `there ${n}.md` as RemotePath,
  changeId: `chg_${n}` as ChangeId,
  digest: digestOf(String(n)),
  inode: null,
});

/** Made. */
const entry = (n: number): MadeEntry => ({ ...named(n), inode: { dev: 64_769, ino: 2 ** 40 + n } });

describe("the list of new files", () => {
  it("is read by another process as it was written", () => {
    const note = noterIn(folder);
    note([named(1), named(2)]);
    note([named(3)]);
    note([entry(1), entry(3)]);
    expect(madeListOf(folder).read()).toEqual([entry(1), named(2), entry(3)]);
    madeListOf(folder).drop();
    expect([madeListOf(folder).read(), readdirSync(folder)]).toEqual([[], []]);
  });

  it("passes over what is torn, or no line of it", () => {
    noterIn(folder)([named(1)]);
    const file = join(folder, "made.list");
    appendFileSync(
      file,
      '["x.md","dir_1","x.md","chg_1","00"]\n[1,2,3,4,5]\n{}\n["doc_1","1",2]\n["doc_7",1,2]\n\0\0\0\n',
    );
    noterIn(folder)([named(2)]);
    appendFileSync(file, '["half.md","doc_9"');
    expect(madeListOf(folder).read()).toEqual([named(1), named(2)]);
  });

  it("keeps the newest of many, in two files", () => {
    const note = noterIn(folder);
    for (let from = 0; from < 40_960; from += 4_096) note(Array.from({ length: 4_096 }, (_, n) => named(from + n)));
    const kept = madeListOf(folder).read();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([24_576, named(16_384), named(40_959)]);
    madeListOf(folder).drop();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("does without where it cannot be written, and follows no link", () => {
    writeFileSync(join(folder, "..", "other"), "");
    symlinkSync(join(folder, "..", "other"), join(folder, "made.list"));
    noterIn(folder)([entry(1)]);
    expect(() => madeListOf(folder).read()).toThrow(/symbolic link/);
    rmSync(folder, { recursive: true });
    expect(() => noterIn(folder)([entry(1)])).not.toThrow();
    expect(madeListOf(folder).read()).toEqual([]);
    mkdirSync(folder);
  });
});
