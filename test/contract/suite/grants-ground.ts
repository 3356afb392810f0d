import type { Level } from "../../../src/service/store/rows.ts";
import type { Api, World } from "./world.ts";

/** The test's folder is given to a key at that level, by the owner's key. */
export async function withGrant({ as, admin, folder }: World, level: Level): Promise<Api> {
  return as((await admin().key([{ on: folder.id, level }])).key);
}
