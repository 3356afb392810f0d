import { expect } from "vitest";
import { findNextStep } from "../../src/mirror/operations/results/next-step.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import type { Lies } from "./liar.ts";
import { APFS, type RamDiskOptions } from "../simulator/ram-disk.ts";
import { openHostile } from "./hostile-fixture.ts";

export const DISKS: Readonly<Record<string, RamDiskOptions>> = {
  "an exact disk": {},
  "the disk of a Mac, which folds case and Unicode": APFS,
  "a disk without hard links": { hardLinks: false },
};

/**
 * Syncs a real document on the service, another local one, and the lies. Expects that both real
 * documents are synced and that nothing else is touched.
 */
export async function syncWithLies(options: RamDiskOptions, lies: Lies) {
  const fixture = openHostile(options);
  fixture.rig.app.create("good/one.md", "one\n");
  fixture.mirror.write("mine.md", "mine\n");
  const before = fixture.others();
  fixture.lies = lies;
  const report = await fixture.sync();
  expect(fixture.texts().get("good/one.md")).toBe("one\n");
  expect(fixture.serviceText("mine.md")).toBe("mine\n");
  expect(fixture.others()).toEqual(before);
  return { fixture, report };
}

/** Returns all messages of a report, one a line. */
export function messagesOf(report: RunReport): string {
  return report.attention.map((one) => `${one.kind}: ${one.detail} -> ${findNextStep(one)}`).join("\n");
}
