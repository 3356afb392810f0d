import { describe } from "vitest";
import { checkRows, checkRowsBothWays } from "./rows.ts";

describe("an edit is carried only to text that still says what it was made to", () => {
  checkRows([
    ["a replaced item", "- buy milk\n", "- sell the car\n", "- buy milk, two litres\n"],
    ["a replaced number", "- Bob: 0151 222\n", "- Bob: 0170 999\n", "- Bob: 0151 222 (work)\n"],
    ["a replaced name", "- [ ] Bob\n", "- [ ] Eve\n", "- [ ] Bob (brother)\n"],
    ["most words of an item", "- buy milk at the shop\n", "- sell eggs at fairs\n", "- buy milk at the shop today\n"],
    ["the words of a link", "- [[bank]]\n", "- [[lawyer]]\n", "- [[bank]] is closed\n"],
    ["a link for a replaced word", "Ask the bank.\n", "Ask the [[bank]].\n", "Ask the lawyer.\n"],
    ["a tick for a replaced task", "- [ ] call the bank\n", "- [x] call the bank\n", "- [ ] book the dentist\n"],
    [
      "but a tick for a task with one other word",
      "- [ ] call the bank\n",
      "- [x] call the bank\n",
      "- [ ] phone the bank\n",
      "- [x] phone the bank\n",
    ],
  ]);
});

describe("a number is no part of what it numbers", () => {
  const NUMBERED: readonly (readonly [string, (items: readonly string[]) => string])[] = [
    ["items", (items) => items.map((item, at) => `${at + 1}. ${item}\n`).join("")],
    ["items in a quote", (items) => items.map((item, at) => `> ${at + 1}) ${item}\n`).join("")],
    ["letters", (items) => items.map((item, at) => `${"abcd"[at]}) ${item}\n`).join("")],
    ["rows", (items) => `| # | a |\n|---|---|\n${items.map((item, at) => `| ${at + 1} | ${item} |\n`).join("")}`],
    ["headings", (items) => items.map((item, at) => `## ${at + 1}. ${item}\n\ntext of ${item}\n`).join("\n")],
    ["sections", (items) => items.map((item, at) => `## 2.${at + 1}. ${item}\n\ntext of ${item}\n`).join("\n")],
  ];
  checkRowsBothWays(
    NUMBERED.map(([name, write]) => [
      name,
      write(["wake up", "eat bread", "go out"]),
      write(["wake up", "pray", "eat bread", "go out"]),
      write(["wake up", "eat bread", "go out"]).replace("eat bread", "eat bread with jam"),
      write(["wake up", "pray", "eat bread", "go out"]).replace("eat bread", "eat bread with jam"),
    ]),
  );
  checkRows([
    ["but a quantity is", "- 3 apples\n", "- 5 apples\n", "- 4 apples\n"],
    ["and a decimal number is no ordinal", "3.5 km of road\n", "4.5 km of road\n", "3.6 km of road\n"],
  ]);
});
