import { expect, test } from "vitest";
import type { Clock } from "../../src/common/clock.ts";
import { UnsafePathError } from "../../src/common/ownership.ts";
import { FAULT_TROUBLE, Jobs, PageSearches, toPageTrouble } from "../../src/ui/jobs.ts";
import type { Notice } from "../../src/page/layout.ts";

test("a path that cannot be trusted is the user's to correct; another error is a fault of mdmirror", () => {
  const faults: unknown[] = [];
  const troubleOf = (error: Error) => toPageTrouble(error, (fault) => faults.push(fault));
  const unsafe = new UnsafePathError("/notes/.mdmirror/key", "is a symbolic link", "remove the link");
  expect(troubleOf(unsafe)).toMatchObject({ kind: "usage", what: unsafe.message, next: "remove the link" });
  expect(faults).toEqual([]);
  const bug = new Error("a bug");
  expect(troubleOf(bug)).toBe(FAULT_TROUBLE);
  expect(faults).toEqual([bug]);
});

test("results are over after the same time whatever their tone, and later if they can be undone", async () => {
  let now = 0;
  const clock = { monotonic: () => now, now: () => now } as Clock;
  const jobs = new Jobs({ clock, onFault: () => undefined });
  const undo = { action: "/undo", label: "Undo", fields: {} };
  const results: Readonly<Record<string, Partial<Notice>>> = {
    "/good": { tone: "good" },
    "/asks": { tone: "asks" },
    "/undo": { tone: "good", undo },
  };
  for (const [root, result] of Object.entries(results))
    jobs.start(root, "sync", () => Promise.resolve({ tone: "bad", text: "", next: null, ...result }));
  await jobs.idle();
  const shown = () => Object.keys(results).filter((root) => jobs.of(root) !== null);
  expect(shown()).toEqual(["/good", "/asks", "/undo"]);
  now = 11_000;
  expect(shown()).toEqual(["/undo"]);
  now = 61_000;
  expect(shown()).toEqual([]);
});

test("a job that is started next waits for the one that runs in its folder", async () => {
  const clock = { monotonic: () => 0, now: () => 0 } as Clock;
  const jobs = new Jobs({ clock, onFault: () => undefined });
  const { promise, resolve } = Promise.withResolvers<Notice>();
  const notice = { tone: "good", text: "", next: null } as const;
  const undo = () => Promise.resolve({ ...notice, tone: "asks" as const });
  jobs.start("/a", "sync", () => promise);
  expect(jobs.start("/a", "undo", undo)).toBe(false);
  jobs.startNext("/a", "undo", undo);
  expect(jobs.of("/a")).toMatchObject({ what: "sync", end: null });
  resolve(notice);
  await jobs.idle();
  expect(jobs.of("/a")).toMatchObject({ what: "undo", end: { tone: "asks" } });
  jobs.startNext("/b", "undo", undo);
  await jobs.idle();
  expect(jobs.of("/b")).toMatchObject({ what: "undo", end: { tone: "asks" } });
});

test("several jobs that are started next run one after the other, and none is lost", async () => {
  const jobs = new Jobs({ clock: { monotonic: () => 0, now: () => 0 } as Clock, onFault: () => undefined });
  const order: string[] = [];
  const job = (name: string) => async (): Promise<Notice> => {
    order.push(`${name} starts`);
    await Promise.resolve();
    order.push(`${name} ends`);
    return { tone: "good", text: "", next: null };
  };
  jobs.start("/a", "sync", job("sync"));
  for (const name of ["first", "second"]) jobs.startNext("/a", name, job(name));
  await jobs.idle();
  expect(order).toEqual(["sync", "first", "second"].flatMap((name) => [`${name} starts`, `${name} ends`]));
});

test("a page waits for a search for a second, and begins none while another one reads the folder", async () => {
  const late = Promise.withResolvers<void>();
  const clock = { monotonic: () => 0, now: () => 0, sleep: () => late.promise } as Clock;
  const jobs = new Jobs({ clock, onFault: () => undefined });
  const searches = new PageSearches({ clock, jobs });
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const answer = (root: string, name: string, found: Promise<string>) =>
    searches.answer(root, () => {
      begun.push(name);
      return found;
    });
  const answers = [answer("/a", "first", first.promise), answer("/a", "second", Promise.resolve("second"))];
  expect(await answer("/b", "other", Promise.resolve("other"))).toBe("other");
  late.resolve();
  expect(await Promise.all(answers)).toEqual([null, null]);
  expect(begun).toEqual(["first", "other"]);
  first.resolve("first");
  await jobs.idle();
  expect(await answer("/a", "third", Promise.resolve("third"))).toBe("third");
  await expect(answer("/a", "fails", Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
  await jobs.idle();
});
