import { expect, test } from "vitest";
import { readFigures } from "../../src/service/figures.ts";

test("figures that need no database are shown without it, with why the others are not", async () => {
  const away = new Error("away");
  const pool = { connections: 12, idle: 0, waiting: 40 };
  const faults: unknown[] = [];
  const core = { isOpen: true, onFault: (...fault: unknown[]) => void faults.push(fault) };
  const store = { figures: () => Promise.reject(away), pool: () => pool };
  expect(await readFigures(core, store, 3)).toEqual({ database: null, pool, listeners: 3 });
  expect(faults).toEqual([[away, "metrics"]]);
  expect(await readFigures({ ...core, isOpen: false }, store, 0)).toMatchObject({ database: null });
  expect(faults.length).toBe(1);
});
