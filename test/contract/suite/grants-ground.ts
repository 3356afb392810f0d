import type { Level } from "../../../src/service/store/rows.ts";
import type { Api } from "../../../src/conformance/world.ts";
import type { TestWorld } from "./world.ts";

/** The test's folder is given to a key at that level, by the owner's key. */
export async function withGrant({ as, admin, folder }: TestWorld, level: Level): Promise<Api> {
  return as((await admin().key([{ on: folder.id, level }])).key);
}
