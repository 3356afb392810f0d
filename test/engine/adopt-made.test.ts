import { describe, expect, test } from "vitest";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { LocalPath, RemotePath } from "../../src/model/path.ts";
import type { MadeEntry } from "../../src/ports/disk.ts";
import { syncToConvergence } from "../../src/engine/run/sync.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

const TEXT = "0123456789 ab".repeat(100);

/** A file that a run made of a document before it was killed, without its row. */
type Killed = { readonly rig: Rig; readonly mirror: Mirror; readonly made: MadeEntry[]; readonly id: DocId };

function killed(): Killed {
  const rig = createRig(7);
  const mirror = rig.mirror();
  const id = rig.app.create("note.md", TEXT);
  const changeId = rig.app.files().get("note.md")!.changeId as ChangeId;
  mirror.write("note.md", TEXT);
  mirror.state.beginRun("sync", 0);
  const [path, remotePath] = ["note.md" as LocalPath, "note.md" as RemotePath];
  const inode = mirror.disk.lstat(mirror.path("note.md"));
  return { rig, mirror, id, made: [{ path, id, remotePath, changeId, digest: digestOf(TEXT), inode }] };
}

async function goOn({ mirror, made }: Killed) {
  const madeList = { read: () => [...made], isTorn: () => false, drop: () => void made.splice(0) };
  const input = { settings: SETTINGS, retryRefused: false, kind: "sync" };
  const { state, counts } = await syncToConvergence({ ...mirror.world(), madeList }, input);
  return [state, counts.conflicts, counts.uploaded, counts.downloaded];
}

const texts = ({ rig, mirror }: Killed) => [mirror.texts().get("note.md"), rig.app.files().get("note.md")?.text];

describe("a file that a run made before it was killed, and that base does not know", () => {
  test("I05 edited on the service since, is written over as any other", async () => {
    const after = killed();
    after.rig.app.edit("note.md", `${TEXT}there\n`);
    expect(await goOn(after)).toEqual(["in-sync", 0, 0, 1]);
    expect(texts(after)).toEqual([`${TEXT}there\n`, `${TEXT}there\n`]);
    expect(after.made).toEqual([]);
  });

  test("I05 edited here since, is an edit of its document", async () => {
    const after = killed();
    after.mirror.write("note.md", `${TEXT}here\n`);
    expect(await goOn(after)).toEqual(["in-sync", 0, 1, 0]);
    expect(texts(after)).toEqual([`${TEXT}here\n`, `${TEXT}here\n`]);
    expect(after.rig.app.files().get("note.md")?.id).toBe(after.id);
  });

  test("I09 replaced by another file since, is met as a new one", async () => {
    const after = killed();
    after.mirror.write("other.md", "another document\n");
    after.mirror.disk.user.rename(after.mirror.path("other.md"), after.mirror.path("note.md"));
    expect(await goOn(after)).toEqual(["attention", 1, 0, 0]);
    expect(texts(after)).toEqual(["another document\n", TEXT]);
  });

  test("I05 edited on both sides, is a conflict that keeps both", async () => {
    const after = killed();
    after.mirror.write("note.md", "here\n");
    after.rig.app.edit("note.md", "there\n");
    expect(await goOn(after)).toEqual(["attention", 1, 0, 0]);
    expect(texts(after)).toEqual(["here\n", "there\n"]);
  });

  test("deleted on the service since, goes to the trash, and does not come up again", async () => {
    const after = killed();
    after.rig.app.create("other.md", "other\n");
    after.rig.app.remove("note.md");
    // The next run proves that it is gone: this one's list was made before base knew of it.
    expect(await goOn(after)).toEqual(["attention", 0, 0, 0]);
    expect((await goOn(after))[0]).toBe("in-sync");
    expect(texts(after)).toEqual([undefined, undefined]);
  });

  test.each([
    ["empty", ""],
    ["cut off after a sector", TEXT.slice(0, 512)],
  ])("I13 is no edit where it is %s: a power loss may have taken both", async (_what, torn) => {
    const after = killed();
    after.mirror.write("note.md", torn);
    after.mirror.state.setMeta("boot", "boot-0");
    expect((await goOn(after))[0]).toBe("in-sync");
    expect(texts(after)).toEqual([TEXT, TEXT]);
  });

  test("of which the list says another text, is met as a new one", async () => {
    const after = killed();
    after.made[0] = { ...after.made[0]!, digest: digestOf("another\n") };
    after.mirror.write("note.md", "mine\n");
    expect(await goOn(after)).toEqual(["attention", 1, 0, 0]);
  });

  test("is not looked for after a run that came to its end", async () => {
    const after = killed();
    after.mirror.state.endRun(1, 0, "{}");
    after.rig.app.edit("note.md", `${TEXT}there\n`);
    expect(await goOn(after)).toEqual(["attention", 1, 0, 0]);
    expect(after.made).toEqual([]);
  });
});
