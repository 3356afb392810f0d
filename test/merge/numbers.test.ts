import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

describe("a number that both sides gave", () => {
  checkRowsBothWays([
    [
      "to a footnote: the later one gets the next",
      "a\n\nb\n\nc\n\nd\n\n[^1]: one\n",
      "a[^2]\n\nb\n\nc\n\nd\n\n[^1]: one\n[^2]: mine\n",
      "a\n\nb\n\nc[^2]\n\nd\n\n[^1]: one\n[^2]: theirs\n",
      "a[^2]\n\nb\n\nc[^3]\n\nd\n\n[^1]: one\n[^2]: mine\n[^3]: theirs\n",
    ],
    [
      "to the target of a link",
      "a\n\nb\n\nc\n\nd\n\n[0]: zero\n",
      "[a][1]\n\nb\n\nc\n\nd\n\n[0]: zero\n[1]: http://a\n",
      "a\n\nb\n\n[c][1]\n\nd\n\n[0]: zero\n[1]: http://b\n",
      "[a][1]\n\nb\n\n[c][2]\n\nd\n\n[0]: zero\n[1]: http://a\n[2]: http://b\n",
    ],
    [
      "to targets far apart",
      "a\n\nb\n\nc\n\n[0]: zero\n",
      "[1]: m\n\na\n\nb\n\nc\n\n[0]: zero\n",
      "a\n\nb\n\nc\n\n[0]: zero\n[1]: t\n",
      "[1]: m\n\na\n\nb\n\nc\n\n[0]: zero\n[2]: t\n",
    ],
    [
      "to notes of several lines",
      "a[^1]\n\nb\n\nc\n\n[^1]: one\n",
      "a[^1] x[^2] y[^3]\n\nb\n\nc\n\n[^1]: one\n[^2]: m2\n[^3]: m3\n",
      "a[^1]\n\nb[^2]\n\nc\n\n[^1]: one\n[^2]: t2\n    more t2\n",
      "a[^1] x[^2] y[^3]\n\nb[^4]\n\nc\n\n[^1]: one\n[^2]: m2\n[^3]: m3\n[^4]: t2\n    more t2\n",
    ],
    [
      "leaves code and the text of other links as they are",
      "a\n\nb\n\nc\n\nd\n",
      "a [x][1]\n\nb\n\nc\n\nd\n\n[1]: m\n",
      "a\n\nb\n\nc `[1]` [1](u) [1][1] [1]\n\nd\n\n[1]: t\n",
      "a [x][1]\n\nb\n\nc `[1]` [1](u) [1][2] [2]\n\nd\n\n[1]: m\n[2]: t\n",
    ],
    ["is a conflict where it is a name", "a\n\nb\n", "a[^n]\n\nb\n\n[^n]: mine\n", "a\n\nb[^n]\n\n[^n]: theirs\n"],
    [
      "is a conflict where base mentions it: whose that is cannot be told",
      "a[^1]\n\nb\n\nc\n",
      "a[^1]\n\nb\n\nc\n\n[^1]: mine\n",
      "a[^1]\n\nb\n\nc[^1]\n\n[^1]: theirs\n",
    ],
    [
      "is a conflict where it may be an index",
      "a\n\nb\n\nc\n",
      "a [1]\n\nb\n\nc\n\n[1]: m\n",
      "a\n\nb\n\nc list[1]\n\n[1]: t\n",
    ],
  ]);
});
