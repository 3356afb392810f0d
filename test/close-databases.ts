import { afterEach, beforeEach } from "vitest";
import { beginTest, endTest } from "./simulator/open-databases.ts";

beforeEach(beginTest);
afterEach(endTest);
