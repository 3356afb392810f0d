import { describe, test } from "vitest";
import { open } from "./fixture.ts";
import { EVENTS, EVENTS_BY_GRANTS } from "./events-suite.ts";

describe("what is sent", () => {
  test.each(EVENTS)("%s", (_title, run) => run(open));
});

describe("who may read a part", () => {
  test.each(EVENTS_BY_GRANTS)("%s", (_title, run) => run(open));
});
