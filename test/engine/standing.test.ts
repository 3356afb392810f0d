import { expect, test } from "vitest";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { runStateOf } from "../../src/mirror/engine/run/run-state.ts";

/** What `status` makes of what the last run left, of whichever version that was. */

function standingAfter(lastReport: object) {
  const kept = new Map<string, string>([[META.lastReport, JSON.stringify(lastReport)]]);
  return runStateOf({ meta: (key) => kept.get(key) ?? null, blocks: [], newestRun: null });
}

const STEP = { path: "a.md", kind: "refused", code: "forbidden", detail: "no", requestId: "req_1", waits: false };

test("a report of a version that kept the words of what to do is read, with their reason", () => {
  const beside = [
    { ...STEP, next: "run: mdmirror why a.md" },
    { ...STEP, path: "b.md", kind: "later", next: "mend what it names; the next sync tries again" },
  ];
  expect(standingAfter({ state: "attention", beside, fault: null, staysLocal: null })).toMatchObject({
    state: "attention",
    attention: [
      { ...STEP, refused: "step" },
      { ...STEP, path: "b.md", kind: "later" },
    ],
  });
});

test("what is kept of a refused step stays a step's", () => {
  const beside = [{ ...STEP, refused: "step" }];
  expect(standingAfter({ state: "attention", beside, fault: null, staysLocal: null }).attention).toEqual(beside);
});

test("a report of a version that kept its end alone is read", () => {
  expect(standingAfter({ state: "in-sync" })).toMatchObject({ state: "never", attention: [], staysLocal: null });
});
