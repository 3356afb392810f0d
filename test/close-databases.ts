import { afterEach, beforeEach } from "vitest";
import { beginTest, endTest } from "./simulator/open-databases.ts";

/** For each file of tests. */

beforeEach(beginTest);
afterEach(endTest);
