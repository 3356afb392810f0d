import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

const BASE = "| a | b |\n|---|---|\n| 1 | 2 |\n";
const WIDER = "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n";

describe("a table of which one side changed the columns is a conflict", () => {
  checkRowsBothWays([
    ["where the other one changed a cell", BASE, WIDER, "| a | b |\n|---|---|\n| 1 | x |\n"],
    ["where the other one added a row", BASE, WIDER, `${BASE}| 3 | 4 |\n`],
    [
      "with line ends of two characters",
      BASE.replaceAll("\n", "\r\n"),
      WIDER.replaceAll("\n", "\r\n"),
      `${BASE}| 3 | 4 |\n`.replaceAll("\n", "\r\n"),
    ],
    [
      "where they changed places, and the other one added a row",
      BASE,
      "| b | a |\n|---|---|\n| 2 | 1 |\n",
      `${BASE}| 3 | 4 |\n`,
    ],
    ["where the other one gave one another name", BASE, WIDER, BASE.replace("a", "A")],
    ["at one end, the other one at the other end", BASE, "| z | a | b |\n|---|---|---|\n| 0 | 1 | 2 |\n", WIDER],
    [
      "taking one away, and the other one a cell of another",
      BASE,
      "| a |\n|---|\n| 1 |\n",
      "| a | b |\n|---|---|\n| 7 | 2 |\n",
    ],
    ["taking one away that the other one edited", BASE, "| a |\n|---|\n| 1 |\n", BASE.replace("2", "9")],
    ["taking one away that the other one filled in a new row", BASE, "| a |\n|---|\n| 1 |\n", `${BASE}| 3 | 4 |\n`],
    ["and filled a row that the other one took away", `${BASE}| 5 | 6 |\n`, `${WIDER}| 5 | 6 | 7 |\n`, BASE],
    ["at one place, as the other one did", BASE, WIDER, WIDER.replace("c", "d").replace("3", "4")],
    [
      "in place of another, while the other one added a row",
      BASE,
      "| c | b |\n|---|---|\n| 9 | 2 |\n",
      `${BASE}| 3 | 4 |\n`,
    ],
  ]);
});

describe("a table of which one side changed the columns merges", () => {
  const other = "| x | y |\n|---|---|\n| 7 | 8 |\n";
  checkRowsBothWays([
    [
      "where the other one changed another table",
      `${BASE}\ntext\n\n${other}`,
      `${WIDER}\ntext\n\n${other}`,
      `${BASE}\ntext\n\n${other}| 9 | 0 |\n`,
      `${WIDER}\ntext\n\n${other}| 9 | 0 |\n`,
    ],
    [
      "by their names alone, and the other one added a row",
      BASE,
      BASE.replace("a", "A"),
      `${BASE}| 3 | 4 |\n`,
      `${BASE.replace("a", "A")}| 3 | 4 |\n`,
    ],
    ["alike on both sides, and the other one a cell", BASE, WIDER, WIDER.replace("2", "x"), WIDER.replace("2", "x")],
  ]);
});
