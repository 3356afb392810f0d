import { describe, expect, test } from "vitest";
import { groupByPromise, PROMISES, titlesOf } from "../../scripts/check-promises.ts";

describe("the check that each promise has a test", () => {
  test("reads titles of tests, of groups, of tables and of their rows, and nothing else", () => {
    const source = `
      // test("I01 in a comment", () => {});
      /* it("I02 in another", () => {}); */
      it("I03 one", () => fail("I04 a message"));
      test.each([["I05 a row"]])("I06 %s", () => {});
      describe(
        \`I07 of a group\`, () => {});
      const rows = [{ name: "I08 a row", text: "I09 a text" }];
      test.skip("I10 skipped", () => {});
      it.todo('I11 to do');
    `;
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
