import type { UiPage } from "./page.ts";
import { CONFLICT_PAGE } from "./pages/conflict.ts";
import { DOCS_PAGE, WHY_PAGE } from "./pages/docs.ts";
import { DIFF_PAGE, HISTORY_PAGE } from "./pages/history.ts";
import { LINK_PAGE } from "./pages/link.ts";
import { HOME_PAGE } from "./pages/home.ts";
import { OVERVIEW_PAGE } from "./pages/overview.ts";
import { PROBLEMS_PAGE } from "./pages/problems.ts";
import { REVIEWS_PAGE } from "./pages/reviews.ts";
import { RUN_PAGE, RUNS_PAGE } from "./pages/runs.ts";
import { SEARCH_PAGE } from "./pages/search.ts";
import { SETTINGS_PAGE } from "./pages/settings.ts";
import { STOP_PAGE } from "./pages/stop.ts";
import { SIGN_OUT_PAGE } from "./pages/trouble.ts";
import { USER_DOC_PAGE, USER_DOCS_PAGE } from "./pages/user-docs.ts";

export const PAGES: readonly UiPage[] = [
  ...[
    HOME_PAGE,
    LINK_PAGE,
    OVERVIEW_PAGE,
    PROBLEMS_PAGE,
    CONFLICT_PAGE,
    STOP_PAGE,
    DOCS_PAGE,
    WHY_PAGE,
    HISTORY_PAGE,
    DIFF_PAGE,
  ],
  ...[RUNS_PAGE, RUN_PAGE, REVIEWS_PAGE, SEARCH_PAGE, SETTINGS_PAGE, USER_DOCS_PAGE, USER_DOC_PAGE, SIGN_OUT_PAGE],
];
