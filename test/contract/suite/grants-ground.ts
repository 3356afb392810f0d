import type { Level } from "../../../src/service/store/rows.ts";
import type { Api } from "../../../src/conformance/world.ts";
import type { TestWorld } from "./world.ts";

/** Returns the API for a new key that has that level for the test's folder. */
export async function withGrant({ as, admin, folder }: TestWorld, level: Level): Promise<Api> {
  return as((await admin().key([{ on: folder.id, level }])).key);
}
