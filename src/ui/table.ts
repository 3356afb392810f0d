import type { UiAction } from "./action.ts";
import { PAUSE, RESUME } from "./actions/daemon.ts";
import { SYNC } from "./actions/sync.ts";
import type { UiPage } from "./page.ts";
import { DOCS } from "./pages/docs.ts";
import { MIRROR } from "./pages/mirror.ts";
import { NEEDS } from "./pages/needs.ts";
import { OVERVIEW } from "./pages/overview.ts";

/** Every page and every action. */

export const PAGES: readonly UiPage[] = [OVERVIEW, MIRROR, NEEDS, DOCS];
export const ACTIONS: readonly UiAction[] = [SYNC, PAUSE, RESUME];
