import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { syncMirror } from "../../src/app/by-hand/sync.ts";
import { openToWrite, type PageCheck } from "../../src/app/mirror/open-state.ts";
import { systemRandom } from "../../src/app/mirror/random.ts";
import { USUAL_RUN } from "../../src/app/mirror/run.ts";
import { useRig } from "../cli/rig.ts";

/** A thread looks at a large mirror while `sync` opens it; here one of three documents may be. */

const rig = useRig();
beforeEach(async () => {
  for (const path of PATHS) rig.api("POST", "/v1/files", { path, content: `text of ${path}\n` });
  expect((await rig.init()).code).toBe(0);
});

const PATHS = ["a.md", "f/b.md", "f/g/c.md"];

/** @param recordFrom null: the threshold of users */
async function sync(recordFrom: number | null) {
  const threads: string[] = [];
  const note = ({ threadName }: Worker): void => void threads.push(threadName ?? "");
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  const env = { XDG_STATE_HOME: rig.stateHome, XDG_CONFIG_HOME: rig.configHome };
  const options = { env, cwd: rig.dir, clock: rig.clock, random: systemRandom() };
  const synced = await syncMirror(rig.root, USUAL_RUN, { ...options, ...(recordFrom === null ? {} : { recordFrom }) });
  if (synced.kind === "trouble") throw new Error(synced.trouble.what);
  return { threads, ...synced.value };
}

test("a sync of many documents has them read by a thread, one of few does not", async () => {
  expect([(await sync(1)).threads, (await sync(null)).threads]).toEqual([["record"], []]);
});

test("what changed on both sides is found, whoever reads the folder", async () => {
  rig.write("f/b.md", "edited here\n");
  rig.write("f/new.md", "new here\n");
  rig.editRemotely("a.md", "edited there\n");
  expect((await sync(1)).report).toMatchObject({ state: "in-sync", counts: { uploaded: 1, createdRemote: 1 } });
  expect(rig.read("a.md")).toBe("edited there\n");
  expect([rig.remote("f/b.md")?.content, rig.remote("f/new.md")?.content]).toEqual(["edited here\n", "new here\n"]);
});

describe("pages of the state", () => {
  const folder = () => join(rig.root, ".mdmirror");

  /** Noise in a page that no opening reads but to check it. */
  function scramble(): void {
    const path = join(folder(), "state.db");
    const db = new Sqlite(path, { readonly: true });
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get() as number;
    const size = db.pragma("page_size", { simple: true }) as number;
    db.close();
    writeFileSync(path, readFileSync(path).fill(0xa5, (page - 1) * size, page * size));
  }

  test("I05 damage that the thread finds sets the state aside, and nothing is lost", async () => {
    scramble();
    rig.write("a.md", "edited here\n");
    const { notes, report } = await sync(1);
    expect(notes).toEqual([expect.stringMatching(/^state.db was damaged /)]);
    expect(report.state).toBe("attention");
    expect([rig.read("a.md"), rig.remote("a.md")!.content]).toEqual(["edited here\n", "text of a.md\n"]);
  });

  test("nobody has the state before the verdict on its pages", async () => {
    const verdict = Promise.withResolvers<Awaited<ReturnType<PageCheck["pages"]>>>();
    const seen: string[] = [];
    const opening = openToWrite(folder(), rig.clock, { pages: () => verdict.promise }).then((end) => {
      seen.push("opened");
      return end;
    });
    await new Promise((resolve) => setImmediate(resolve));
    seen.push("verdict");
    verdict.resolve("sound");
    const end = await opening;
    expect(seen).toEqual(["verdict", "opened"]);
    if (end.kind === "ok") end.value.state.close();
  });

  test("a thread that came to no verdict leaves the check to the opening", async () => {
    scramble();
    const end = await openToWrite(folder(), rig.clock, { pages: () => Promise.resolve("unknown") });
    expect(end).toMatchObject({ kind: "ok", value: { isNew: true, notes: [expect.stringMatching(/damaged/)] } });
    if (end.kind === "ok") end.value.state.close();
  });
});
