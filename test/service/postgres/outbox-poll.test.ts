import type { Pool } from "pg";
import { expect, it, vi } from "vitest";
import { OutboxPoll } from "../../../src/service/store/postgres/outbox-poll.ts";
import { PRUNE_OUTBOX } from "../../../src/service/store/postgres/outbox-table.ts";

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
