import type { Pool } from "pg";
import { expect, it, vi } from "vitest";
import { OutboxSignal } from "../../../src/server/postgres/outbox-signal.ts";

it("tells others nothing more once it is closed: its pool may have ended", async () => {
  vi.useFakeTimers();
  try {
    const sent: string[] = [];
    const pool = { query: async (sql: string) => void sent.push(sql) } as unknown as Pool;
    const faults: unknown[] = [];
    const signal = new OutboxSignal("postgres://unused", pool, (error) => void faults.push(error));
    await signal.close();
    signal.committed();
    await vi.runAllTimersAsync();
    expect([sent, faults]).toEqual([[], []]);
  } finally {
    vi.useRealTimers();
  }
});
