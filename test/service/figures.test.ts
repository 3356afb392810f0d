import { expect, test } from "vitest";
import { readFigures, type ServiceFigures } from "../../src/service/service.ts";
import { RequestHistory } from "../../src/service/http/metrics.ts";

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

const START = Date.UTC(2026, 10, 23, 10, 30);

function history() {
  const clock = { now: START };
  const read: number[] = [];
  const figures = async (): Promise<ServiceFigures> => {
    read.push(clock.now);
    return { database: { documents: read.length, indexing: 0, bytes: 0 }, pool: null, listeners: 0 };
  };
  return { clock, read, requests: new RequestHistory(() => clock.now, figures) };
}

test("requests are counted by minute and by outcome, and a minute without requests is empty", async () => {
  const { clock, read, requests } = history();
  for (const status of [200, 304, 404, 429, 500]) requests.note(status, 1);
  clock.now += 2 * 60_000;
  requests.note(200, null);
  await Promise.resolve();
  const spans = requests.spans({ minutes: 1, count: 3 });
  expect(spans.map(({ at }) => at)).toEqual([0, 1, 2].map((n) => START + n * 60_000));
  expect(spans.map(({ answered, refused, failed }) => [answered, refused, failed])).toEqual([
    [2, 2, 1],
    [0, 0, 0],
    [1, 0, 0],
  ]);
  expect(spans.map(({ figures }) => figures?.database?.documents ?? null)).toEqual([1, null, 2]);
  expect(spans.map(({ median }) => median !== null)).toEqual([true, false, false]);
  expect(read).toHaveLength(2);
  expect(requests.spans({ minutes: 30, count: 2 }).map(({ answered }) => answered)).toEqual([0, 3]);
});

test("durations are within a quarter of what they were", () => {
  const { requests } = history();
  for (let n = 0; n < 90; n++) requests.note(200, 10);
  for (let n = 0; n < 10; n++) requests.note(200, 800);
  const [span] = requests.spans({ minutes: 1, count: 1 });
  expect(span!.median! / 10).toBeGreaterThanOrEqual(1);
  expect(span!.median! / 10).toBeLessThan(1.25);
  expect(span!.p95! / 800).toBeGreaterThanOrEqual(1);
  expect(span!.p95! / 800).toBeLessThan(1.25);
});

test("a day is remembered, and a clock that is set back loses nothing", () => {
  const { clock, requests } = history();
  for (let minute = 0; minute < 2_000; minute++, clock.now += 60_000) requests.note(200, 1);
  clock.now -= 3 * 3_600_000;
  requests.note(500, 1);
  clock.now += 3 * 3_600_000 - 60_000;
  const spans = requests.spans({ minutes: 60, count: 40 });
  expect(spans.reduce((sum, { answered }) => sum + answered, 0)).toBe(1_440);
  expect(spans.at(-1)!.failed).toBe(1);
});
