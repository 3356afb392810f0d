import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type EventsFixture, folderAt, keyWith, Listener, listening, make, open } from "./fixture.ts";
import { EVENTS, EVENTS_BY_GRANTS } from "./events-suite.ts";
import { copyOf, openService, seeded } from "../fixture.ts";
import { sealPosition } from "../../../src/service/requests/seal.ts";
import type { Service } from "../../../src/service/service.ts";
import { Api } from "../../../src/conformance/world.ts";

describe("what is sent", () => {
  test.each(EVENTS)("%s", (_title, run) => run(open));
});

describe("who may read a part", () => {
  test.each(EVENTS_BY_GRANTS)("%s", (_title, run) => run(open));
});

async function makeMany(service: Service, key: string, folder: string): Promise<void> {
  const api = new Api(service.answer, key);
  for (let n = 0; n < 1_100; n++) await api.file(`${folder}/note-${n}.md`, "");
}

describe("who comes back", () => {
  test("gets what was missed, once, after the last id", async () => {
    const asked = await open();
    const first = await listening(asked);
    await make(asked, "/a.md");
    await first.heard();
    first.leave();
    await make(asked, "/b.md");
    const back = await Listener.join(asked.opened.service, asked.opened.key, first.lastId());
    expect(await back.lines()).toEqual(["file created /b.md"]);
    await make(asked, "/c.md");
    expect(await back.lines()).toEqual(["file created /c.md"]);
  });

  test("with an id of nobody, or of another workspace, begins with a reset", async () => {
    const asked = await open();
    const first = await listening(asked);
    await make(asked, "/a.md");
    await first.heard();
    const id = first.lastId()!;
    const other = await asked.opened.service.admin.createWorkspace("other");
    for (const [key, lastId] of [
      [asked.opened.key, "evt_nobody"],
      [asked.opened.key, `${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`],
      [other.key, id],
    ] as const) {
      const back = await Listener.join(asked.opened.service, key, lastId);
      expect(await back.lines()).toEqual(["reset"]);
    }
  });

  test("with what a backup does not know begins with a reset", async () => {
    const asked = await open();
    const backup = await copyOf(asked.opened);
    const first = await listening(asked);
    await make(asked, "/a.md");
    await first.heard();
    await asked.opened.service.close();
    const restored = await openService({ database: { copy: backup }, random: seeded("restored") });
    const back = await Listener.join(restored.service, asked.opened.key, first.lastId());
    expect(await back.lines()).toEqual(["reset"]);
    await restored.service.close();
  });

  test("gets what it may read, however much happened that it may not read", async () => {
    const asked = await open();
    const { service, key } = asked.opened;
    await make(asked, "/open/a.md");
    await make(asked, "/hidden/b.md");
    const part = await keyWith(asked, { on: (await folderAt(asked, "/open")).id, level: "read" });
    const other = await service.admin.createWorkspace("other");
    const first = await listening(asked, part.key);
    first.leave();
    await makeMany(service, key, "/hidden");
    await makeMany(service, other.key, "/elsewhere");
    await make(asked, "/open/c.md");
    const back = await Listener.join(service, part.key, first.lastId());
    expect(await back.lines()).toEqual(["file created /open/c.md"]);
    // The listener missed too many changes of documents that its key may read, so it gets a reset
    // instead.
    back.leave();
    await makeMany(service, key, "/open");
    expect(await (await Listener.join(service, part.key, back.lastId())).lines()).toEqual(["reset"]);
  });

  test("an id reveals neither how much has happened nor that two ids are of one place", () => {
    const sealing = { cursorSecret: Buffer.alloc(32, 1), random: seeded("ids") };
    const ids = ["7.0", "7.0", "1234567890123.456"].map((place) => sealPosition(sealing, 1, place));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^evt_[A-Za-z0-9_-]{96}$/);
  });
});

describe("a stream", () => {
  test("without events has a comment each 20 s", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = { now: 0 };
    const asked = await open({ now: () => clock.now });
    const listener = await listening(asked);
    const before = listener.text;
    const pass = (ms: number) => {
      for (let left = ms; left > 0; left -= 1_000) {
        clock.now += 1_000;
        vi.advanceTimersByTime(1_000);
      }
    };
    pass(19_000);
    expect(listener.text).toBe(before);
    pass(21_000);
    expect(listener.text).toBe(`${before}:\n\n:\n\n`);
  });

  test("is refused as any request, and if a key has too many", async () => {
    const asked = await open();
    const { service, key } = asked.opened;
    expect((await Listener.join(service, "mdm_wrong")).status).toBe(401);
    const limited = await keyWith(asked, { on: null, level: "read" });
    await service.admin.changeKey(limited.id, { rateLimit: { requests: 1, seconds: 60 } });
    expect((await Listener.join(service, limited.key)).status).toBe(200);
    expect((await Listener.join(service, limited.key)).status).toBe(429);
    const unknown = await service.streams.open({
      method: "GET",
      path: "/v1/events?since=1",
      headers: { "x-api-key": key },
      body: null,
    });
    expect(unknown.status).toBe(400);
    const many = await Promise.all(Array.from({ length: 257 }, () => Listener.join(service, key)));
    expect(many.filter(({ isEnded }) => isEnded)).toHaveLength(1);
    expect((await Listener.join(service, key)).status).toBe(429);
    for (const one of many.slice(0, 2)) one.leave();
    expect((await Listener.join(service, key)).status).toBe(200);
    await service.close();
    expect(many.slice(2).every(({ isEnded }) => isEnded)).toBe(true);
    expect((await Listener.join(service, key)).status).toBe(503);
  });

  test.each<readonly [string, (asked: EventsFixture, id: string) => Promise<unknown>]>([
    ["its key is revoked", ({ opened }, id) => opened.service.admin.removeKey(id)],
    ["its key has expired", ({ opened }, id) => opened.service.admin.changeKey(id, { expiresAt: 1 })],
    ["its workspace is closed", ({ opened }) => opened.service.admin.setWorkspaceState(opened.workspaceId, "closed")],
    ["its workspace is removed", ({ opened }) => opened.service.admin.removeWorkspace(opened.workspaceId)],
  ])("ends when %s; the stream of another workspace stays open", async (_what, act) => {
    let now = 0;
    const asked = await open({ now: () => now });
    const { key, id } = await keyWith(asked, { on: null, level: "read" });
    const listener = await listening(asked, key);
    const other = await asked.opened.service.admin.createWorkspace("other");
    const others = await listening(asked, other.key);
    now = 10;
    await act(asked, id);
    await listener.heard();
    expect(listener.isEnded).toBe(true);
    expect(others.isEnded).toBe(false);
  });
});
