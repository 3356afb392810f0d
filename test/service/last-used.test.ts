import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { hashKey } from "../../src/service/requests/authenticate.ts";
import { openData } from "../../src/service/data.ts";
import { Service } from "../../src/service/service.ts";
import { SqliteStore } from "../../src/service/store/sqlite/store.ts";
import { seeded } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECOND = 1_000;

/** Opens a service in a folder, with a clock that the test moves. */
function open(folder: string, clock: { now: number }) {
  const random = seeded("last used");
  const store = new SqliteStore({ folder }, { random });
  return new Service({ store, now: () => clock.now, random, adminKeyHash: hashKey("mdm_admin_x") });
}

describe("when a key was last used", () => {
  it("is known immediately, is saved when the service says so, and outlives a restart", async () => {
    const folder = temporaryFolder();
    const clock = { now: 5 * SECOND };
    const first = open(folder, clock);
    const { key, id } = await first.admin.createWorkspace("main");
    const used = async (service: typeof first) => (await service.admin.keys()).find((one) => one.id === id)!.lastUsedAt;
    const ask = (service: typeof first) =>
      service.handle({ method: "GET", path: "/v1/files", headers: { "x-api-key": key }, body: null });
    expect(await used(first)).toBeNull();
    await ask(first);
    expect(await used(first)).toBe(5 * SECOND);
    clock.now = 9 * SECOND;
    await ask(first);
    await first.close();
    const second = open(folder, clock);
    expect(await used(second)).toBe(9 * SECOND);
    await second.close();
  });

  it("is not written with each request, nor for requests of the program itself", async () => {
    const folder = temporaryFolder();
    const service = open(folder, { now: 1 });
    const { key } = await service.admin.createWorkspace("main");
    const request = { method: "GET", path: "/v1/files", headers: { "x-api-key": key }, body: null };
    await service.answer(request);
    expect((await service.admin.keys())[0]!.lastUsedAt).toBeNull();
    const journal = () => readFileSync(`${folder}/service.db-wal`).length;
    const before = journal();
    for (let i = 0; i < 100; i++) await service.handle(request);
    expect(journal()).toBe(before);
    await service.saveUses();
    expect(journal()).toBeGreaterThan(before);
    await service.close();
  });

  it("is saved once a minute while the data folder is open", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const folder = temporaryFolder();
    const data = await openData(folder);
    const save = vi.spyOn(data.service, "saveUses");
    await vi.advanceTimersByTimeAsync(180 * SECOND);
    expect(save).toHaveBeenCalledTimes(3);
    await data.close();
    vi.useRealTimers();
    // The program itself looked up the owner's key at its start; that does not count as a use of
    // the key.
    const again = await openData(folder);
    expect((await again.service.admin.keys()).map(({ lastUsedAt }) => lastUsedAt)).toEqual([null]);
    await again.close();
  });
});
