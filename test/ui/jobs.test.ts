import { expect, test } from "vitest";
import { UnsafePath } from "../../src/common/unsafe-path.ts";
import { FAULT, troubleOrFault } from "../../src/ui/jobs.ts";

test("a path that cannot be trusted is the user's to correct; another error is a fault of mdmirror", () => {
  const faults: unknown[] = [];
  const troubleOf = (error: Error) => troubleOrFault(error, (fault) => faults.push(fault));
  const unsafe = new UnsafePath("/notes/.mdmirror/key", "is a symbolic link", "remove the link");
  expect(troubleOf(unsafe)).toMatchObject({ kind: "usage", what: unsafe.message, next: "remove the link" });
  expect(faults).toEqual([]);
  const bug = new Error("a bug");
  expect(troubleOf(bug)).toBe(FAULT);
  expect(faults).toEqual([bug]);
});
