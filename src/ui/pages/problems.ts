import { ok } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import { emptyOf } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Need } from "../folders.ts";
import { folderPage } from "../page.ts";
import { folderForm, pagerOf, partOf, problemRows } from "../parts.ts";
import { conflictChoices, MANY_WAYS } from "../resolving.ts";
import { jobOf, screenReaderText } from "../status.ts";

/** LIMIT: problems on one page. */
const SIZE = 100;

/** Shows all problems of one linked folder, and what is pending. */
export const PROBLEMS = folderPage({
  path: "/m/:name/needs",
  section: "needs",
  showsUnread: true,
  show(ui, folder, asked) {
    const { name, root, waits, status } = folder;
    const part = partOf(folder.needs, asked, SIZE);
    return ok({
      title: `Problems · ${name} · mdmirror`,
      announcement: screenReaderText(folder),
      main: html`<h1>Problems to solve</h1>
<div id="job">${jobOf(folder.job)}</div>
${
  part.total === 0
    ? emptyOf("No problems", "Nothing needs a decision of yours.")
    : status !== null && status.conflicts.length > 0
      ? folderForm(folder, { path: "resolve" }, asked, checkable(part.items, conflictChoices(ui, root)))
      : html`<section class="card flush" id="problems">${problemRows(part.items)}</section>`
}
${pagerOf(part, "problems", (page) => mirrorAddress(name, "needs", { page }))}
${
  waits.length > 0 &&
  html`<section class="card flush" id="pending"><header><h2>Pending: nothing for you to do</h2></header>${problemRows(waits.slice(0, SIZE))}</section>`
}`,
    });
  },
});

/** Lists problems; each conflict has a check box, and the buttons decide all that are checked. */
function checkable(needs: readonly Need[], choices: ReadonlyMap<string, string>): Html {
  const ways = Object.entries(MANY_WAYS).map(
    ([way, label]) => html`<button name="way" value="${way}">${label}</button>`,
  );
  return html`<section class="card flush" id="problems"><header><label class="check"><input type="checkbox" data-all="conflict">Select all conflicts</label>
<span class="row">${ways}</span></header>${problemRows(needs, choices)}</section>`;
}
