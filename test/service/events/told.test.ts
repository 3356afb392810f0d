import { describe, test } from "vitest";
import { open } from "./asked.ts";
import { TOLD, TOLD_BY_GRANTS } from "./told-suite.ts";

describe("what is sent", () => {
  test.each(TOLD)("%s", (_title, run) => run(open));
});

describe("who may read a part", () => {
  test.each(TOLD_BY_GRANTS)("%s", (_title, run) => run(open));
});
