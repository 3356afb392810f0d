import { expect, test } from "vitest";
import { openState } from "../../src/mirror/state/open.ts";
import { change, doc, ended, nextLine, opened, settableClock, startChild, tempFolder } from "./fixture.ts";

test.each([1, 40, 700])(
  "I13 kill -9 after %i transactions: each reported one is whole, with its content",
  async (count) => {
    const folder = tempFolder();
    const { child, lines } = startChild("write", folder);
    let last = -1;
    while (last < count) last = Number(await nextLine(lines));
    child.kill("SIGKILL");
    await ended(child);
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) last = Number(line.value);

    const state = opened(openState({ folder, clock: settableClock() }));
    const { links } = state.load();
    expect(links.size).toBeGreaterThan(last);
    for (let n = 0; n < links.size; n++) {
      const link = links.get(doc(n));
      expect(link?.changeId).toBe(change(n));
      expect(state.text(link!.digest)).toBe(`text number ${n} `.repeat(40));
      expect(state.versions(doc(n))).toHaveLength(1);
    }
    expect(state.missingTexts()).toEqual([]);
    state.close();
  },
);
