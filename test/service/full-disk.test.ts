import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DatabaseLocation } from "../../src/service/store/sqlite/database.ts";
import { Reserve } from "../../src/service/store/sqlite/reserve.ts";
import { isDiskFull } from "../../src/service/store/store.ts";
import { openService } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Opens a service with a document. Each further edit of its first version needs too much space. */
async function openFullDisk(database?: DatabaseLocation) {
  const faults: string[] = [];
  const { api, service } = await openService({
    database,
    combine: () => {
      throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    },
    onFault: (_error, what) => faults.push(what),
  });
  onTestFinished(() => service.close());
  const file = await api.file("a.md", "one");
  const live = (await api.edit(file.id, file.lastChangeId, "two")).edited();
  return { api, service, faults, live, edit: () => api.edit(file.id, file.lastChangeId, "three") };
}

describe("a full disk", () => {
  it("is known by SQLite's own code", () => {
    const db = new Sqlite(":memory:");
    db.pragma("max_page_count = 2");
    db.exec("CREATE TABLE t (x)");
    let caught: unknown = null;
    try {
      db.prepare("INSERT INTO t VALUES (zeroblob(100000))").run();
    } catch (error) {
      caught = error;
    }
    expect([isDiskFull(caught), isDiskFull(new Error("other")), isDiskFull(null)]).toEqual([true, false, false]);
    db.close();
  });

  it("is answered 503 with Retry-After to a write, which saves nothing; reads go on", async () => {
    const { api, faults, live, edit } = await openFullDisk();
    const reply = await edit();
    reply.problem("service_unavailable");
    expect([reply.headers["retry-after"], faults]).toEqual(["60", [reply.json.requestId]]);
    expect(await api.read(live.id)).toEqual(live);
  });

  it("has a reserve of written bytes, which is given up once and taken again", () => {
    const folder = temporaryFolder();
    const file = join(folder, "reserve");
    const reserve = new Reserve(folder);
    expect(statSync(file).size).toBe(8 * 1024 * 1024);
    expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(8 * 1024 * 1024);
    expect([reserve.release(), reserve.release(), existsSync(file)]).toEqual([true, false, false]);
    reserve.reserve();
    expect(reserve.release()).toBe(true);
  });

  it.each([
    [15.9, 0],
    [16, 8],
  ])("of %d MB that are free %d are kept, and none that nobody can spare", (free, kept) => {
    const MB = 1024 * 1024;
    const folder = temporaryFolder();
    let room = free * MB;
    const reserve = new Reserve(folder, () => room);
    expect(reserve.bytes()).toBe(kept * MB);
    // Although the disk is nearly full now, the reserved bytes stay.
    room = 0;
    reserve.reserve();
    expect(reserve.bytes()).toBe(kept * MB);
    expect(reserve.release()).toBe(kept > 0);
    room = 100 * MB;
    reserve.reserve();
    expect(reserve.bytes()).toBe(8 * MB);
  });

  it("says that deletions continue only where space is reserved for them", async () => {
    const folder = temporaryFolder();
    const { service, edit } = await openFullDisk({ folder });
    const detailOfEdit = async () => (await edit()).json.detail;
    const full = "The disk of the service is full: nothing was saved.";
    expect(service.reservedBytes()).toEqual(8 * 1024 * 1024);
    expect(await detailOfEdit()).toEqual(`${full} Reading and deleting still work.`);
    rmSync(join(folder, "reserve"));
    expect([service.reservedBytes(), await detailOfEdit()]).toEqual([0, `${full} Reading still works.`]);
  });
});
