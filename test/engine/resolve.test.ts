import { describe, expect, test } from "vitest";
import type { Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { findProblem } from "../../src/mirror/operations/manual/open-problem.ts";
import type { DocId } from "../../src/contract/ids.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import type { Mirror } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";
import { expectKept, resolve, resolveProblem, trashOf } from "./resolving.ts";
import { settle, openSynced } from "../promises/fixture.ts";

const BASE = "# Plan\n\none\ntwo\nthree\n";
const MINE = "# Plan\n\none\nmine\nthree\n";
const THEIRS = "# Plan\n\none\ntheirs\nthree\n";
const MERGED = "# Plan\n\none\nmine and theirs\nthree\n";

async function inConflict(): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = await openSynced({ "plan.md": BASE });
  mirror.write("plan.md", MINE);
  rig.app.edit("plan.md", THEIRS);
  await mirror.sync();
  expect([...mirror.texts().keys()]).toEqual(["plan (theirs).md", "plan.md"]);
  return { rig, mirror };
}

type WayCase = { readonly way: Resolution; readonly both: string; readonly trash: readonly string[] };

const WAYS: readonly WayCase[] = [
  { way: { kind: "mine" }, both: MINE, trash: [THEIRS] },
  { way: { kind: "theirs" }, both: THEIRS, trash: [MINE, THEIRS] },
  { way: { kind: "merged", text: MERGED }, both: MERGED, trash: [MINE, THEIRS] },
];

describe("resolving a conflict", () => {
  for (const { way, both, trash } of WAYS) {
    test(`--${way.kind}: both sides have it, and each replaced version is a file in the trash (I03)`, async () => {
      const { rig, mirror } = await inConflict();
      const id = rig.app.files().get("plan.md")!.id;
      expect((await resolve(mirror, "plan.md", way)).kind).toBe("ok");
      expect(trashOf(mirror)).toEqual([...trash].sort());
      const report = await mirror.sync();
      expect(report).toMatchObject({ state: "in-sync", attention: [] });
      expect(mirror.texts()).toEqual(new Map([["plan.md", both]]));
      expect(rig.app.files().get("plan.md")).toMatchObject({ id, text: both });
      expectKept(rig, mirror, BASE, MINE, THEIRS, both);
      expect(mirror.state.conflict(id)).toBeNull();
    });

    test(`I13 --${way.kind}: killed at any call, then synced, no text is lost and nothing is half done`, async () => {
      const calls = await killAtEachCall(await inConflict(), {
        work: ({ mirror }) => resolve(mirror, "plan.md", way),
        async judge({ rig, mirror }, call, lived) {
          await settle(mirror);
          const local = mirror.texts().get("plan.md");
          // A kill before the decision leaves the conflict; a later one leaves the decision.
          expect(lived ? [both] : [MINE, both, THEIRS], `killed at ${call}`).toContain(local);
          if (mirror.state.load().conflicts.size === 0) expect(rig.app.files().get("plan.md")!.text).toBe(local);
          else expect(mirror.texts().has("plan (theirs).md")).toBe(true);
          expectKept(rig, mirror, BASE, MINE, THEIRS);
        },
      });
      expect(calls).toBeGreaterThan(5);
    });
  }

  test("--theirs takes the live version of this moment, not the one shown, and keeps an edited (theirs) file", async () => {
    const { rig, mirror } = await inConflict();
    rig.app.edit("plan.md", "# Plan\n\none\nnewest\nthree\n");
    mirror.write("plan (theirs).md", "an edited sidecar\n");
    expect((await resolve(mirror, "plan.md", "theirs")).kind).toBe("ok");
    await mirror.sync();
    expect(mirror.texts()).toEqual(new Map([["plan.md", "# Plan\n\none\nnewest\nthree\n"]]));
    expect(trashOf(mirror)).toEqual([MINE, "an edited sidecar\n"].sort());
  });

  test("--mine after the service moved on merges with what was never shown, or is a conflict again", async () => {
    const { rig, mirror } = await inConflict();
    rig.app.edit("plan.md", `${THEIRS}a line at the end\n`);
    expect((await resolve(mirror, "plan.md", "mine")).kind).toBe("ok");
    await mirror.sync();
    expect(mirror.texts()).toEqual(new Map([["plan.md", `${MINE}a line at the end\n`]]));
  });

  test("a save between the scan and the replacement survives (I14)", async () => {
    const { rig, mirror } = await inConflict();
    const world = mirror.world();
    const subject = findProblem(world, "plan.md");
    if (subject.kind === "trouble") throw new Error(subject.trouble.what);
    const saving = async (id: DocId) => {
      const answer = await world.remote.getFile(id);
      mirror.write("plan.md", "saved meanwhile\n");
      return answer;
    };
    const remote = new Proxy(world.remote, {
      get: (target, name: keyof Remote) => (name === "getFile" ? saving : (target[name] as () => unknown).bind(target)),
    });
    const slow = { ...world, remote };
    await resolveProblem(slow, subject.value, { kind: "theirs" }, { force: false });
    await mirror.sync();
    expectKept(rig, mirror, "saved meanwhile\n", MINE, THEIRS);
  });

  test("the (theirs) file names the conflict too; a path with nothing open is refused", async () => {
    const { mirror } = await inConflict();
    expect((await resolve(mirror, "plan (theirs).md", "mine")).kind).toBe("ok");
    expect(await resolve(mirror, "plan.md", "mine")).toMatchObject({ kind: "trouble", trouble: { kind: "usage" } });
    expect(await resolve(mirror, "nowhere.md", "mine")).toMatchObject({ kind: "trouble" });
  });

  test("--theirs records that the document is protected by now", async () => {
    const { rig, mirror } = await inConflict();
    rig.app.protect("plan.md", true);
    expect((await resolve(mirror, "plan.md", "theirs")).kind).toBe("ok");
    expect(mirror.state.link(rig.app.files().get("plan.md")!.id)?.protected).toBe(true);
  });

  test("--mine keeps a file that is no text", async () => {
    const { mirror } = await inConflict();
    mirror.disk.user.write(mirror.path("plan.md"), Uint8Array.of(0xff, 0xfe, 0x0a));
    expect((await resolve(mirror, "plan.md", "mine")).kind).toBe("ok");
    expect(mirror.state.load().conflicts.size).toBe(0);
    expect(trashOf(mirror)).toEqual([THEIRS]);
    expect([...mirror.disk.readFile(mirror.path("plan.md")).bytes]).toEqual([0xff, 0xfe, 0x0a]);
  });

  test("--mine creates no file for one that is gone", async () => {
    const { mirror } = await inConflict();
    mirror.disk.user.remove(mirror.path("plan.md"));
    expect(await resolve(mirror, "plan.md", "mine")).toMatchObject({ kind: "trouble", trouble: { kind: "fault" } });
    expect([...mirror.texts().keys()]).toEqual(["plan (theirs).md"]);
    expect(mirror.state.load().conflicts.size).toBe(1);
  });

  test("markers are refused; with force they are taken and sent", async () => {
    const marked = "<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs\n";
    const { rig, mirror } = await inConflict();
    expect(await resolve(mirror, "plan.md", { kind: "merged", text: marked })).toMatchObject({ kind: "trouble" });
    expect(mirror.texts().get("plan.md")).toBe(MINE);
    const world = mirror.world();
    const subject = findProblem(world, "plan.md");
    if (subject.kind === "trouble") throw new Error(subject.trouble.what);
    const forced = await resolveProblem(world, subject.value, { kind: "merged", text: marked }, { force: true });
    expect(forced.kind).toBe("ok");
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    expect(rig.app.files().get("plan.md")!.text).toBe(marked);
    expectKept(rig, mirror, MINE, THEIRS);
  });
});
