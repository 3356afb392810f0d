import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { startUpkeep } from "../../src/service/upkeep.ts";
import { type Opened, openService } from "./fixture.ts";

const DAY = 86_400_000;

/** Opens a service with a clock that the test sets. */
async function openAt(): Promise<Opened & { at: (days: number) => void }> {
  let now = 0;
  const opened = await openService({ now: () => now, settings: { keepVersionsDays: 30 } });
  return {
    ...opened,
    at: (days) => {
      now = days * DAY;
    },
  };
}

async function pruneAll({ service }: Opened): Promise<void> {
  while ((await service.pruneStep()) === "more");
}

const TEXT = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
const ALPHA = TEXT.replace("alpha", "ALPHA");
const OMEGA = TEXT.replace("omega", "OMEGA");

describe("pruning old versions", () => {
  it("counts a version's age from when it was replaced, and never prunes the live one", async () => {
    const opened = await openAt();
    const { api } = opened;
    const first = await api.file("a.md", TEXT);
    opened.at(100);
    const second = (await api.edit(first.id, first.lastChangeId, ALPHA)).edited();
    opened.at(129);
    await pruneAll(opened);
    const both = (await api.edit(first.id, first.lastChangeId, OMEGA)).edited();
    expect(both.content).toBe(ALPHA.replace("omega", "OMEGA"));
    opened.at(131);
    await pruneAll(opened);
    expect((await api.edit(first.id, first.lastChangeId, TEXT)).ok(202).reason).toBe("conflict");
    expect((await api.edit(first.id, second.lastChangeId, ALPHA)).edited().content).toBe(both.content);
    opened.at(1_000);
    await pruneAll(opened);
    expect((await api.read(first.id)).content).toBe(both.content);
  });

  it("takes into review, and does not refuse, a write on a pruned version; an equal text is saved already", async () => {
    const opened = await openAt();
    const { api } = opened;
    const first = await api.file("a.md", TEXT);
    const second = (await api.edit(first.id, first.lastChangeId, ALPHA)).edited();
    opened.at(31);
    await pruneAll(opened);
    expect((await api.edit(first.id, first.lastChangeId, OMEGA)).ok(202).reason).toBe("conflict");
    expect((await api.edit(first.id, first.lastChangeId, ALPHA)).edited()).toEqual(second);
  });

  it("keeps a number of versions of each document, the live one included", async () => {
    const opened = await openService({ settings: { keepVersions: 2 } });
    const { api } = opened;
    const other = await api.file("other.md", TEXT);
    const file = await api.file("a.md", TEXT);
    const changes = [file.lastChangeId];
    for (const text of [ALPHA, OMEGA]) {
      changes.push((await api.edit(file.id, changes.at(-1)!, text)).edited().lastChangeId);
    }
    await pruneAll(opened);
    // The content of the oldest version is pruned, so an edit based on it cannot be merged. The
    // previous version is still stored.
    const edited = (text: string) => text.replace("middle two", "edited");
    expect((await api.edit(file.id, changes[0]!, edited(TEXT))).ok(202).reason).toBe("conflict");
    expect((await api.edit(file.id, changes[1]!, edited(ALPHA))).edited().content).toContain("edited");
    expect((await api.read(other.id)).content).toBe(TEXT);
    expect((await api.edit(other.id, other.lastChangeId, OMEGA)).edited().content).toBe(OMEGA);
  });

  it("keeps the base of a change in review", async () => {
    const opened = await openAt();
    const { api, service } = opened;
    const first = await api.file("a.md", TEXT);
    (await api.patch(`/v1/files/${first.id}`, { protected: true })).ok(200);
    const review = (await api.edit(first.id, first.lastChangeId, OMEGA)).ok(202);
    (await api.patch(`/v1/files/${first.id}`, { protected: false })).ok(200);
    (await api.edit(first.id, first.lastChangeId, ALPHA)).edited();
    opened.at(1_000);
    await pruneAll(opened);
    expect(await service.admin.reviews.accept(review.id)).toMatchObject({ path: "/a.md" });
    expect((await api.read(first.id)).content).toBe(ALPHA.replace("omega", "OMEGA"));
  });

  it("keeps everything without the setting", async () => {
    const { api, service } = await openService({ now: () => 0 });
    const first = await api.file("a.md", TEXT);
    (await api.edit(first.id, first.lastChangeId, ALPHA)).edited();
    expect(await service.pruneStep()).toBe("done");
    expect((await api.edit(first.id, first.lastChangeId, OMEGA)).edited().content).toContain("ALPHA");
  });
});

/** A service that has nothing to do in its upkeep. */
const IDLE = {
  pruneStep: async (): Promise<"done"> => "done",
  reserveSpace: () => undefined,
  saveUses: async () => undefined,
  indexStep: async (): Promise<"done"> => "done",
  served: () => 0,
  onWrite: () => undefined,
};

describe("upkeep", () => {
  it("works in steps with pauses, then pauses for ten minutes; a fault is reported and does not end it", async () => {
    vi.useFakeTimers();
    const did: string[] = [];
    const left: ("more" | "done" | Error)[] = ["more", "done", new Error("full"), "done"];
    const stop = startUpkeep(
      {
        ...IDLE,
        pruneStep: async () => {
          const next = left.shift() ?? "done";
          if (next instanceof Error) throw next;
          did.push(next);
          return next;
        },
        reserveSpace: () => void did.push("hold"),
      },
      (error, what) => did.push(`${what}: ${(error as Error).message}`),
    );
    await vi.advanceTimersByTimeAsync(40);
    expect(did).toEqual(["more", "done"]);
    await vi.advanceTimersByTimeAsync(600_000);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(did.slice(2)).toEqual(["hold", "upkeep: full", "hold", "done"]);
    stop();
    await vi.advanceTimersByTimeAsync(6_000_000);
    expect(did).toHaveLength(6);
    vi.useRealTimers();
  });

  it.each(["ends", "fails"] as const)(
    "is over when it is stopped in the midst of a step, which then %s",
    async (how) => {
      vi.useFakeTimers();
      const did: string[] = [];
      const step = Promise.withResolvers<"done">();
      const stop = startUpkeep(
        { ...IDLE, pruneStep: () => step.promise, reserveSpace: () => void did.push("hold") },
        (error) => did.push((error as Error).message),
      );
      await vi.advanceTimersByTimeAsync(40);
      stop();
      if (how === "ends") step.resolve("done");
      else step.reject(new Error("the database is closed"));
      await vi.advanceTimersByTimeAsync(6_000_000);
      expect(did).toEqual([]);
      vi.useRealTimers();
    },
  );
});

function watched(steps: ("more" | "done" | Error)[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let write = () => undefined as unknown;
  const state = { served: 0, steps: 0, faults: [] as unknown[] };
  const stop = startUpkeep(
    {
      ...IDLE,
      served: () => state.served,
      onWrite: (listener) => {
        write = listener;
      },
      indexStep: async () => {
        state.steps++;
        vi.advanceTimersByTime(5);
        const next = steps.shift() ?? "done";
        if (next instanceof Error) throw next;
        return next;
      },
    },
    (error) => state.faults.push(error),
  );
  return { state, stop, write: () => write() };
}

describe("indexing in steps", () => {
  test("follows a write within 50 ms, and many that come together once", async () => {
    const { state, stop, write } = watched([]);
    await vi.advanceTimersByTimeAsync(45);
    expect(state.steps).toBe(1);
    for (let n = 0; n < 10; n++) write();
    await vi.advanceTimersByTimeAsync(45);
    expect(state.steps).toBe(2);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(state.steps).toBe(2);
    stop();
  });

  test("continues until all is done, and leaves time to requests while any come", async () => {
    const { state, stop } = watched(["more", "more", "more", "done"]);
    await vi.advanceTimersByTimeAsync(16);
    expect(state.steps).toBe(4);
    stop();
    const busy = watched(["more", "more"]);
    busy.state.served = 1;
    await vi.advanceTimersByTimeAsync(34);
    expect(busy.state.steps).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(busy.state.steps).toBe(3);
    busy.stop();
  });

  test("reports a fault once and tries again a minute later; ends when stopped", async () => {
    const { state, stop } = watched([new Error("disk full"), "more"]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([state.steps, state.faults]).toEqual([1, [new Error("disk full")]]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(state.steps).toBe(3);
    stop();
  });
});
