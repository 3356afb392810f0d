import { describe, expect, test } from "vitest";
import { syncToConvergence } from "../../src/engine/sync.ts";
import { createRig, type Mirror, type Rig, ROOT, SETTINGS } from "../model/rig.ts";

/** 1,300 bytes: two sectors and a part of one. */
const TEXT = "0123456789 ab".repeat(100);

/** A new file that never was fsynced. */
async function begin(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror();
  rig.app.create("note.md", TEXT);
  await mirror.sync();
  const [link] = mirror.state.load().links.values();
  mirror.state.putLink({ ...link!, durable: false });
  return { rig, mirror };
}

async function startAnew({ mirror }: { readonly mirror: Mirror }, bootId: string): Promise<void> {
  await syncToConvergence({ ...mirror.world(), bootId }, { settings: SETTINGS, retryRefused: false, kind: "sync" });
  mirror.disk.beforeCall = null;
}

function trashed(mirror: Mirror): string[] {
  return [...mirror.disk.user.texts(`${ROOT}/.mdmirror`, true).values()];
}

const cut = (kept: number) => TEXT.slice(0, kept);

describe("a new file that was not on the medium yet, after a restart of the machine", () => {
  test.each([
    ["empty", ""],
    ["zeroed", "\0".repeat(TEXT.length)],
    ["cut off after a sector", cut(512)],
    ["cut off after two", cut(1_024)],
    ["zeroed after a sector", cut(512).padEnd(TEXT.length, "\0")],
    ["zeroed after two, and shorter", cut(1_024).padEnd(1_200, "\0")],
  ])("I13 %s, is made again, and what was there is kept", async (_what, torn) => {
    const { rig, mirror } = await begin();
    mirror.write("note.md", torn);
    await startAnew({ mirror }, "boot-2");
    expect(rig.app.files().get("note.md")?.text).toBe(TEXT);
    expect(mirror.texts().get("note.md")).toBe(TEXT);
    expect(trashed(mirror)).toContain(torn);
  });

  test.each([
    ["shortened elsewhere", cut(700)],
    ["shortened by one character", cut(TEXT.length - 1)],
    ["shortened and written into", `${cut(512)}and more\n`],
  ])("I14 %s, was edited by a person", async (_what, edited) => {
    const { rig, mirror } = await begin();
    mirror.write("note.md", edited);
    await startAnew({ mirror }, "boot-2");
    expect(rig.app.files().get("note.md")?.text).toBe(edited);
    expect(mirror.texts().get("note.md")).toBe(edited);
  });

  test("I09 moved by a person meanwhile, is where it was moved to, and there alone", async () => {
    const { rig, mirror } = await begin();
    const [id] = mirror.state.load().links.keys();
    mirror.disk.user.rename(mirror.path("note.md"), mirror.path("moved.md"));
    await startAnew({ mirror }, "boot-2");
    expect(mirror.texts()).toEqual(new Map([["moved.md", TEXT]]));
    expect(rig.app.files().get("moved.md")?.id).toBe(id);
  });

  test("I13 moved by a person, and torn, is made again where it was moved to", async () => {
    const { rig, mirror } = await begin();
    const [id] = mirror.state.load().links.keys();
    mirror.disk.user.rename(mirror.path("note.md"), mirror.path("moved.md"));
    mirror.disk.user.open(mirror.path("moved.md")).write(cut(512));
    await startAnew({ mirror }, "boot-2");
    expect(mirror.texts()).toEqual(new Map([["moved.md", TEXT]]));
    expect([...rig.app.files().values()]).toEqual([expect.objectContaining({ id, path: "moved.md", text: TEXT })]);
  });

  test("I14 cut off where a sector ends, but without a restart, it was edited by a person", async () => {
    const { rig, mirror } = await begin();
    mirror.write("note.md", cut(512));
    await startAnew({ mirror }, "boot-1");
    expect(rig.app.files().get("note.md")?.text).toBe(cut(512));
  });
});
