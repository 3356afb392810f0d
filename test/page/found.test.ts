import { expect, test } from "vitest";
import { renderFoundDocuments } from "../../src/page/found.ts";

/** Returns the only line that a page of search results shows, with the matches in brackets. */
function shownLine(text: string, match: string): string {
  const start = text.indexOf(match);
  const lines = [{ line: 1, text, ranges: [[start, start + match.length] as const] }];
  const page = renderFoundDocuments([{ href: "/a.md", path: "a.md", lines }]).text;
  return /<span dir="auto">(.*?)<\/span>/s.exec(page)![1]!.replaceAll(/<\/?mark>/g, "|");
}

test("what was found is near the start of its line, also in a long one", () => {
  const sentence = "Customers with an annual contract keep their price until the renewal date. ";
  expect(shownLine("Rotate the signing key.", "signing")).toBe("Rotate the |signing| key.");
  const cut = shownLine(`${sentence}Rotate the signing key. ${sentence}`, "signing");
  expect(cut).toBe(`…until the renewal date. Rotate the |signing| key. ${sentence}`);
  expect(shownLine(`${"長".repeat(99)}signing`, "signing")).toBe(`…${"長".repeat(40)}|signing|`);
});
