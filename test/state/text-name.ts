import type { TextName } from "../../src/mirror/ports/state.ts";

/** For texts of which it does not matter here whose they are. */
export const NAME: TextName = { path: "notes/plan.md", id: null, side: "local", why: "by a test" };
