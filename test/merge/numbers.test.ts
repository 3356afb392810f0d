import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

const BASE = "a\n\nb\n\nc\n\nd\n\n[^1]: one\n";

describe("a number that both sides gave is a conflict", () => {
  checkRowsBothWays([
    [
      "to a footnote",
      BASE,
      "a[^2]\n\nb\n\nc\n\nd\n\n[^1]: one\n[^2]: mine\n",
      "a\n\nb\n\nc[^2]\n\nd\n\n[^1]: one\n[^2]: theirs\n",
    ],
    [
      "to the target of a link",
      "a\n\nb\n\nc\n\nd\n\n[0]: zero\n",
      "[a][1]\n\nb\n\nc\n\nd\n\n[0]: zero\n[1]: http://a\n",
      "a\n\nb\n\n[c][1]\n\nd\n\n[0]: zero\n[1]: http://b\n",
    ],
    [
      "to targets far apart",
      "a\n\nb\n\nc\n\n[0]: zero\n",
      "[1]: m\n\na\n\nb\n\nc\n\n[0]: zero\n",
      "a\n\nb\n\nc\n\n[0]: zero\n[1]: t\n",
    ],
    [
      "to notes of several lines",
      "a[^1]\n\nb\n\nc\n\n[^1]: one\n",
      "a[^1] x[^2] y[^3]\n\nb\n\nc\n\n[^1]: one\n[^2]: m2\n[^3]: m3\n",
      "a[^1]\n\nb[^2]\n\nc\n\n[^1]: one\n[^2]: t2\n    more t2\n",
    ],
    ["where it is a name", "a\n\nb\n", "a[^n]\n\nb\n\n[^n]: mine\n", "a\n\nb[^n]\n\n[^n]: theirs\n"],
    [
      "where base mentions it",
      "a[^1]\n\nb\n\nc\n",
      "a[^1]\n\nb\n\nc\n\n[^1]: mine\n",
      "a[^1]\n\nb\n\nc[^1]\n\n[^1]: theirs\n",
    ],
  ]);
});

describe("a number that one side gave", () => {
  checkRowsBothWays([
    [
      "merges with words of the other side",
      BASE,
      "a[^2]\n\nb\n\nc\n\nd\n\n[^1]: one\n[^2]: mine\n",
      "a\n\nb\n\nc more\n\nd\n\n[^1]: one\n",
      "a[^2]\n\nb\n\nc more\n\nd\n\n[^1]: one\n[^2]: mine\n",
    ],
  ]);
});
