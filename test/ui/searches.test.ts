import { expect, test } from "vitest";
import type { Clock } from "../../src/common/clock.ts";
import { Jobs, Searches } from "../../src/ui/jobs.ts";

test("a page waits for a search for a second, and begins none while another one reads the folder", async () => {
  const late = Promise.withResolvers<void>();
  const clock = { monotonic: () => 0, now: () => 0, sleep: () => late.promise } as Clock;
  const jobs = new Jobs({ clock, onFault: () => undefined });
  const searches = new Searches({ clock, jobs });
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
