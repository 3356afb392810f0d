import type { Pool } from "pg";
import { expect, it, vi } from "vitest";
import { OutboxSignal } from "../../../src/service/store/postgres/outbox-signal.ts";
import { PRUNE } from "../../../src/service/store/postgres/outbox-table.ts";

it("prunes what is old though nobody listens, each ten minutes in which something is committed", async () => {
  vi.useFakeTimers();
  try {
    const sent: string[] = [];
    const pool = { query: async (sql: string) => void sent.push(sql) } as unknown as Pool;
    const signal = new OutboxSignal("postgres://unused", pool, () => undefined);
    const prunes = async () => {
      signal.committed();
      await vi.runAllTimersAsync();
      return sent.filter((sql) => sql === PRUNE).length;
    };
    expect([await prunes(), await prunes()]).toEqual([1, 1]);
    vi.setSystemTime(Date.now() + 600_001);
    expect(await prunes()).toBe(2);
    await signal.close();
  } finally {
    vi.useRealTimers();
  }
});
