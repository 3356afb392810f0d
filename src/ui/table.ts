import type { UiAction } from "./action.ts";
import { PAUSE, RESUME } from "./actions/daemon.ts";
import { RESOLVE } from "./actions/resolve.ts";
import { SYNC } from "./actions/sync.ts";
import type { UiPage } from "./page.ts";
import { CONFLICT } from "./pages/conflict.ts";
import { CONFLICTS } from "./pages/conflicts.ts";
import { DOCS } from "./pages/docs.ts";
import { MIRROR } from "./pages/mirror.ts";
import { NEEDS } from "./pages/needs.ts";
import { OVERVIEW } from "./pages/overview.ts";

/** Every page and every action. */

export const PAGES: readonly UiPage[] = [OVERVIEW, MIRROR, NEEDS, DOCS, CONFLICTS, CONFLICT];
export const ACTIONS: readonly UiAction[] = [SYNC, PAUSE, RESUME, RESOLVE];
