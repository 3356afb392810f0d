import { afterEach, beforeEach } from "vitest";
import { startAsUsual } from "./huge-pages.ts";
import { beginTest, endTest } from "./simulator/open-databases.ts";

/** For each file of tests. */

startAsUsual();
beforeEach(beginTest);
afterEach(endTest);
