import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { openData } from "../../src/server/data.ts";
import { createService } from "../../src/server/service.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { seeded, temporaryFolder } from "./fixture.ts";

const SECOND = 1_000;

/** A service in a folder whose clock the test moves. */
function open(folder: string, clock: { now: number }) {
  const random = seeded("last used");
  const database = { folder };
  return createService({ database, now: () => clock.now, random, combine: combineByMerge, adminKey: "mdm_admin_x" });
}

describe("when a key was last used", () => {
  it("is known at once, is saved when the service says so, and outlives a restart", async () => {
    const folder = temporaryFolder();
    const clock = { now: 5 * SECOND };
    const first = open(folder, clock);
    const { key, id } = first.admin.createWorkspace("main");
    const used = (service: typeof first) => service.admin.keys().find((one) => one.id === id)!.lastUsedAt;
    const ask = (service: typeof first) =>
      service.handle({ method: "GET", path: "/v1/files", headers: { "x-api-key": key }, body: null });
    expect(used(first)).toBeNull();
    await ask(first);
    expect(used(first)).toBe(5 * SECOND);
    clock.now = 9 * SECOND;
    await ask(first);
    first.close();
    const second = open(folder, clock);
    expect(used(second)).toBe(9 * SECOND);
    second.close();
  });

  it("is not written with each request, nor for requests of the program itself", async () => {
    const folder = temporaryFolder();
    const service = open(folder, { now: 1 });
    const { key } = service.admin.createWorkspace("main");
    const request = { method: "GET", path: "/v1/files", headers: { "x-api-key": key }, body: null };
    service.answer(request);
    expect(service.admin.keys()[0]!.lastUsedAt).toBeNull();
    const journal = () => readFileSync(`${folder}/service.db-wal`).length;
    const before = journal();
    for (let i = 0; i < 100; i++) await service.handle(request);
    expect(journal()).toBe(before);
    service.saveUses();
    expect(journal()).toBeGreaterThan(before);
    service.close();
  });

  it("is saved once a minute while the data folder is open", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const folder = temporaryFolder();
    const data = openData(folder);
    const save = vi.spyOn(data.service, "saveUses");
    vi.advanceTimersByTime(180 * SECOND);
    expect(save).toHaveBeenCalledTimes(3);
    data.close();
    vi.useRealTimers();
    // Who looked for the owner's key at the start was the program, not its owner.
    const again = openData(folder);
    expect(again.service.admin.keys().map(({ lastUsedAt }) => lastUsedAt)).toEqual([null]);
    again.close();
  });

  it("is not kept for a key that is revoked", async () => {
    const service = open(temporaryFolder(), { now: 1 });
    const { key, id } = service.admin.createWorkspace("main");
    await service.handle({ method: "GET", path: "/v1/files", headers: { "x-api-key": key }, body: null });
    service.admin.removeKey(id);
    expect(service.admin.keys()).toEqual([]);
    service.close();
  });
});
