import { expect, test } from "vitest";
import { withHeapGrowth } from "../../src/app/mirror/heap-growth.ts";

test("reports are passed on unchanged", () => {
  const told: unknown[] = [];
  const progress = withHeapGrowth(
    { report: (...report) => void told.push(report) },
    { documents: 0, staysLong: false },
  );
  progress.report("list", 7, null);
  progress.report("apply", 0, 3);
  progress.report("apply", 3, 3);
  expect(told).toEqual([
    ["list", 7, null],
    ["apply", 0, 3],
    ["apply", 3, 3],
  ]);
});
