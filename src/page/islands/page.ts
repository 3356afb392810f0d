/** Script of every page. Without it, the user has to reload a page. */

import { updateAges } from "./page/ages.ts";
import { markChanges } from "./page/changes.ts";
import { offerCopies } from "./page/copy.ts";
import { listenToKeys } from "./page/keys.ts";
import { keepUpToDate } from "./page/live.ts";
import { closeMenus } from "./page/menus.ts";
import { addSelectAll } from "./page/select-all.ts";
import { removeToasts } from "./page/toasts.ts";

updateAges();
markChanges();
offerCopies();
void keepUpToDate();
removeToasts();
addSelectAll();
closeMenus();
listenToKeys();
