import { expect, test } from "vitest";
import { trackProblems } from "../../src/cli/track-problems.ts";

/** What `watch` says of what needs the user, after each run. */

const one = (path: string, detail = "why", waits = false) => ({
  path,
  kind: "type-clash" as const,
  code: null,
  detail,
  requestId: null,
  waits,
});
const says = (path: string, detail = "why") => [
  `${path}: type-clash: ${detail}`,
  "  next: rename or move the local file or folder: the service has the other kind at this path. If a file is missing, its document counts as deleted",
];

test("each thing is told once, then what has ended and how many are left", () => {
  const tell = trackProblems();
  const run = (...attention: readonly ReturnType<typeof one>[]) => tell("w", { state: "attention", attention });
  expect(run(one("a.md"), one("b.md"), one("later.md", "why", true))).toEqual([...says("a.md"), ...says("b.md")]);
  expect(run(one("a.md"), one("b.md"))).toEqual([]);
  expect(run(one("a.md"), one("b.md"), one("c.md"))).toEqual([
    ...says("c.md"),
    "3 problems left to fix: mdmirror status",
  ]);
  // In other words it is told anew, and has not ended.
  expect(run(one("a.md", "otherwise"), one("c.md"))).toEqual([
    ...says("a.md", "otherwise"),
    "ended: b.md: type-clash",
    "2 problems left to fix: mdmirror status",
  ]);
  expect(tell("w", { state: "offline", attention: [] })).toEqual([]);
  expect(run()).toEqual(["ended: a.md: type-clash", "ended: c.md: type-clash", "no problem is left"]);
  expect(run()).toEqual([]);
});

test.each([
  ["stopped", { state: "stopped" as const }],
  [
    "about to stop",
    { state: "attention" as const, foreseen: [{ reason: "delete-budget-remote" as const, detail: "" }] },
  ],
])("a mirror that is %s still needs somebody when all else has ended", (_, report) => {
  const tell = trackProblems();
  tell("w", { state: "attention", attention: [one("a.md")] });
  expect(tell("w", { ...report, attention: [] })).toEqual(["ended: a.md: type-clash"]);
  expect(tell("w", { ...report, attention: [one("b.md")] })).toEqual(says("b.md"));
});

test("each folder has its own", () => {
  const tell = trackProblems();
  expect(tell("v", { state: "attention", attention: [one("a.md")] })).toEqual(says("a.md"));
  expect(tell("w", { state: "attention", attention: [one("a.md")] })).toEqual(says("a.md"));
});
