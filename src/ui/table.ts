import type { UiAction } from "./action.ts";
import { PAUSE, RESUME } from "./actions/daemon.ts";
import { LOOK } from "./actions/check-reviews.ts";
import { BRING_BACK, LET_GO } from "./actions/stop.ts";
import { RESOLVE } from "./actions/resolve.ts";
import { RESTORE } from "./actions/restore.ts";
import { SYNC } from "./actions/sync.ts";
import { UNDO } from "./actions/undo.ts";
import type { UiPage } from "./page.ts";
import { CONFLICT } from "./pages/conflict.ts";
import { DIFF } from "./pages/diff.ts";
import { DOCS } from "./pages/docs.ts";
import { HISTORY } from "./pages/history.ts";
import { LOG } from "./pages/log.ts";
import { STOP } from "./pages/stop.ts";
import { MIRROR } from "./pages/mirror.ts";
import { NEEDS } from "./pages/needs.ts";
import { OVERVIEW } from "./pages/overview.ts";
import { RUN } from "./pages/run.ts";
import { RUNS } from "./pages/runs.ts";
import { REVIEWS } from "./pages/reviews.ts";
import { SEARCH } from "./pages/search.ts";
import { LEAVE } from "./pages/sign-out.ts";
import { USER_DOC, USER_DOCS } from "./pages/user-docs.ts";
import { VERSION } from "./pages/version.ts";
import { WHY } from "./pages/why.ts";

/** Every page and every action. */

export const PAGES: readonly UiPage[] = [
  OVERVIEW,
  MIRROR,
  NEEDS,
  CONFLICT,
  STOP,
  DOCS,
  WHY,
  HISTORY,
  VERSION,
  DIFF,
  RUNS,
  RUN,
  LOG,
  REVIEWS,
  SEARCH,
  USER_DOCS,
  USER_DOC,
  LEAVE,
];
export const ACTIONS: readonly UiAction[] = [SYNC, PAUSE, RESUME, RESOLVE, LET_GO, BRING_BACK, RESTORE, UNDO, LOOK];
