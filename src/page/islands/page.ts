/** Script of every page. Without it a page has to be reloaded. */

import { keepAges } from "./page/ages.ts";
import { keepUpToDate } from "./page/live.ts";

keepAges();
keepUpToDate();
