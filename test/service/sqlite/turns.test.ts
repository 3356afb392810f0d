import { describe, expect, it } from "vitest";
import { ConnectionQueue } from "../../../src/service/store/sqlite/group-commit.ts";

describe("turns", () => {
  it("come one after the other, however each ends", async () => {
    const turns = new ConnectionQueue();
    const seen: string[] = [];
    const work = (name: string, ends: "well" | "badly" = "well") =>
      turns.take(async () => {
        seen.push(`${name} begins`);
        await Promise.resolve();
        seen.push(`${name} ends`);
        if (ends === "badly") throw new Error(name);
      });
    const all = await Promise.allSettled([work("a"), work("b", "badly"), work("c")]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("are given to nobody else on the way from one to the next", async () => {
    const turns = new ConnectionQueue();
    let inside = 0;
    const one = async () => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      inside--;
    };
    const first = turns.take(one);
    const second = turns.take(one);
    void first.then(() => turns.take(one));
    await Promise.all([first, second, turns.take(one)]);
  });
});
