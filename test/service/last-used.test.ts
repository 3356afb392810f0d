import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { openData } from "../../src/service/data.ts";
import { Api } from "../../src/conformance/world.ts";
import { openService, seeded } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECOND = 1_000;

describe("when a key was last used", () => {
  it("is known immediately, is saved when the service says so, and outlives a restart", async () => {
    const folder = temporaryFolder();
    let now = 5 * SECOND;
    const { service, api } = await openService({ database: { folder }, now: () => now });
    const used = async ({ admin }: typeof service) => (await admin.keys())[0]!.lastUsedAt;
    expect(await used(service)).toBeNull();
    await api.get("/v1/files");
    expect(await used(service)).toBe(5 * SECOND);
    now = 9 * SECOND;
    await api.get("/v1/files");
    await service.close();
    const again = await openService({ database: { folder }, random: seeded("again") });
    expect(await used(again.service)).toBe(9 * SECOND);
    await again.service.close();
  });

  it("is not written with each request, nor for requests of the program itself", async () => {
    const folder = temporaryFolder();
    const { service, key, api } = await openService({ database: { folder } });
    await new Api(service.answer, key).get("/v1/files");
    expect((await service.admin.keys())[0]!.lastUsedAt).toBeNull();
    const journal = () => readFileSync(`${folder}/service.db-wal`).length;
    const before = journal();
    for (let i = 0; i < 100; i++) await api.get("/v1/files");
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
