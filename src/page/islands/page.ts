/** What every page gets. A page works without it, by a plain reload. */

import { keepAges } from "./page/ages.ts";
import { keepUpToDate } from "./page/live.ts";

keepAges();
keepUpToDate();
