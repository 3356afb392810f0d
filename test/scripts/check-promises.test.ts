import { describe, expect, test } from "vitest";
import { groupByPromise, PROMISES, titlesOf } from "../../scripts/check-promises.ts";

describe("the check that each promise has a test", () => {
  test("reads titles of tests, of groups, of tables and of their rows, and nothing else", () => {
    // Written with @ instead of I, so that the check does not read these titles as titles of this
    // file.
    const source = `
      // test("@01 in a comment", () => {});
      /* it("@02 in another", () => {}); */
      it("@03 one", () => fail("@04 a message"));
      test.each([["@05 a row"]])("@06 %s", () => {});
      describe(
        \`@07 of a group\`, () => {});
      const rows = [{ name: "@08 a row", text: "@09 a text" }];
      test.skip("@10 skipped", () => {});
      it.todo('@11 to do');
    `.replaceAll("@", "I");
    expect(titlesOf(source)).toEqual(["I03 one", "I06 %s", "I07 of a group", "I08 a row"]);
  });

  test("gives each promise the titles that name it, also several in one", () => {
    const titles = [
      { file: "a.test.ts", title: "I01 I33 both hold (I02)" },
      { file: "b.test.ts", title: "I33 again, I33" },
      { file: "c.test.ts", title: "HI01 names none" },
    ];
    const grouped = groupByPromise(titles);
    expect([...grouped.keys()]).toEqual(PROMISES);
    expect(grouped.get("I33")!.map(({ file }) => file)).toEqual(["a.test.ts", "b.test.ts"]);
    expect(grouped.get("I02")).toHaveLength(1);
    expect(grouped.get("I03")).toEqual([]);
  });
});
