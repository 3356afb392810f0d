import type { UiPage } from "./page.ts";
import { CONFLICT } from "./pages/conflict.ts";
import { DOCS, WHY } from "./pages/docs.ts";
import { DIFF, HISTORY } from "./pages/history.ts";
import { LINK_PAGE } from "./pages/link.ts";
import { HOME } from "./pages/home.ts";
import { OVERVIEW } from "./pages/overview.ts";
import { PROBLEMS } from "./pages/problems.ts";
import { REVIEWS } from "./pages/reviews.ts";
import { RUN, RUNS } from "./pages/runs.ts";
import { SEARCH } from "./pages/search.ts";
import { SETTINGS_PAGE } from "./pages/settings.ts";
import { STOP } from "./pages/stop.ts";
import { LEAVE } from "./pages/trouble.ts";
import { USER_DOC, USER_DOCS } from "./pages/user-docs.ts";

export const PAGES: readonly UiPage[] = [
  ...[HOME, LINK_PAGE, OVERVIEW, PROBLEMS, CONFLICT, STOP, DOCS, WHY, HISTORY, DIFF],
  ...[RUNS, RUN, REVIEWS, SEARCH, SETTINGS_PAGE, USER_DOCS, USER_DOC, LEAVE],
];
