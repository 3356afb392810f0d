/** Script of every page. Without it, the user has to reload a page. */

import { keepAges } from "./page/ages.ts";
import { showCurrentTab } from "./page/current-tab.ts";
import { offerCopies } from "./page/copy.ts";
import { keepKeyboard } from "./page/keys.ts";
import { keepUpToDate } from "./page/live.ts";
import { closeMenus } from "./page/menus.ts";
import { keepSelections } from "./page/select-all.ts";
import { keepToasts } from "./page/toasts.ts";

showCurrentTab();
keepAges();
offerCopies();
void keepUpToDate();
keepToasts();
keepSelections();
closeMenus();
keepKeyboard();
