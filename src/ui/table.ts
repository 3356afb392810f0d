import type { UiAction } from "./action.ts";
import { PAUSE, RESUME } from "./actions/daemon.ts";
import { SYNC } from "./actions/sync.ts";
import type { UiPage } from "./page.ts";
import { MIRROR } from "./pages/mirror.ts";
import { OVERVIEW } from "./pages/overview.ts";

/** Every page and every action. */

export const PAGES: readonly UiPage[] = [OVERVIEW, MIRROR];
export const ACTIONS: readonly UiAction[] = [SYNC, PAUSE, RESUME];
