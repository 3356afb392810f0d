import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import type { OutboxPage } from "../../../src/service/events/outbox.ts";
import { OutboxPoll, PRUNE_OUTBOX } from "../../../src/service/store/postgres/outbox.ts";
import type { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { connect, makeFile, makeWorkspace, StopPoint, useSharedDatabase } from "./fixture.ts";
import type { Pool } from "pg";

const openStore = useSharedDatabase();

function newest(store: PostgresStore): Promise<string> {
  return store.read(({ outbox }) => outbox.newest());
}

function after(store: PostgresStore, place: string, most = 100): Promise<OutboxPage | null> {
  return store.read(({ outbox }) => outbox.after(place, most));
}

describe.skipIf(whyNoPostgres !== null)("the outbox of PostgreSQL", () => {
  test("a late commit is never skipped: what came after it waits for it", async () => {
    const ground = await openStore();
    const { store, other, workspace } = ground;
    const place = await newest(store);
    const step = new StopPoint();
    onTestFinished(() => step.goOn());
    let late = "";
    const writing = store.write(async (tables) => {
      late = await makeFile(tables, workspace, "late.md");
      await step.stop();
    });
    await step.reached();
    // In the same workspace the write would wait for the lock.
    const elsewhere = await makeWorkspace(other, `wsp_else_${workspace}`);
    const early = await other.write((tables) => makeFile(tables, elsewhere, "early.md"));
    // The early row is committed but not read yet. Otherwise a listener would continue after it and
    // never read the late row.
    const between = (await after(store, place))!;
    expect(between.rows.map(({ id }) => id)).not.toContain(early);
    expect(await after(store, between.upTo)).toMatchObject({ rows: [] });
    step.goOn();
    await writing;
    const seen: string[] = [];
    for (let at = between.upTo; !seen.includes(early) || !seen.includes(late); ) {
      const page = (await after(store, at, 1))!;
      at = page.upTo;
      seen.push(...page.rows.map(({ id }) => id));
    }
    expect(seen.filter((id) => id === late || id === early)).toEqual([late, early]);
  });

  test("one workspace's rows are read past those of others, however many they are", async () => {
    const { store, other, workspace } = await openStore();
    const place = await newest(store);
    const elsewhere = await makeWorkspace(other, `wsp_many_${workspace}`);
    for (let n = 0; n < 5; n++) await other.write((tables) => makeFile(tables, elsewhere, `${n}.md`));
    const own = await store.write((tables) => makeFile(tables, workspace, "own.md"));
    const ids: string[] = [];
    // The row can be read only after all older transactions of the server have ended, also those of
    // other tests.
    for (let at = place; ids.length === 0; ) {
      const page = (await store.read(({ outbox }) => outbox.after(at, 2, workspace)))!;
      ids.push(...page.rows.map(({ id }) => id));
      at = page.upTo;
    }
    expect(ids).toEqual([own]);
  });

  test("another process is woken after a commit, and reads its row", async () => {
    const { store, other, workspace } = await openStore();
    let at = await newest(other);
    let woken = Promise.withResolvers<void>();
    onTestFinished(other.onChange(() => woken.resolve()));
    const made = await store.write((tables) => makeFile(tables, workspace, "a.md"));
    const ids: string[] = [];
    while (!ids.includes(made)) {
      await woken.promise;
      woken = Promise.withResolvers();
      const page = (await after(other, at))!;
      at = page.upTo;
      ids.push(...page.rows.map(({ id }) => id));
    }
    expect(ids.filter((id) => id === made)).toHaveLength(1);
  });

  test("a place that was pruned, of the future or of another form is not known", async () => {
    const { store, workspace, url } = await openStore();
    const place = await newest(store);
    await store.write((tables) => makeFile(tables, workspace, "a.md"));
    const client = await connect(url);
    // The rows are pruned only after all older transactions of the server have ended, also those of
    // other tests.
    while ((await after(store, place)) !== null) await client.query(PRUNE_OUTBOX, [-60]);
    for (const other of ["", "1", "x.1", "99999999999999999999.0", "1.-1"])
      expect(await after(store, other)).toBeNull();
    expect(await after(store, await newest(store))).toMatchObject({ rows: [] });
  });
});

it("prunes what is old though nobody listens, each ten minutes in which something is committed", async () => {
  vi.useFakeTimers();
  try {
    const sent: string[] = [];
    const pool = { query: async (sql: string) => void sent.push(sql) } as unknown as Pool;
    const outbox = new OutboxPoll(pool, () => undefined);
    const prunes = async () => {
      outbox.committed();
      await vi.runAllTimersAsync();
      return sent.filter((sql) => sql === PRUNE_OUTBOX).length;
    };
    expect([await prunes(), await prunes()]).toEqual([1, 1]);
    vi.setSystemTime(Date.now() + 600_001);
    expect(await prunes()).toBe(2);
    outbox.close();
    vi.setSystemTime(Date.now() + 600_001);
    expect(await prunes()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
