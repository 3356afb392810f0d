import type { UiAction } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";
import { SYNC } from "./sync.ts";

/** Runs a sync, because only a sync shows what reviewers have decided. */
export const LOOK: UiAction = {
  path: "reviews",
  async run(ui, asked) {
    const { notice } = await SYNC.run(ui, asked);
    return { to: mirrorAddress(asked.mirror.name, "reviews"), notice };
  },
};
