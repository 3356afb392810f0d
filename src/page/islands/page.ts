/** Script of every page. Without it, the user has to reload a page. */

import { keepAges } from "./page/ages.ts";
import { keepUpToDate } from "./page/live.ts";

keepAges();
keepUpToDate();
