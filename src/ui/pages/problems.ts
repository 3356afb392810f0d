import { ok } from "../../common/trouble.ts";
import { html } from "../../page/html.ts";
import { emptyOf } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import { folderPage } from "../page.ts";
import { pagerOf, partOf, problemRows } from "../parts.ts";
import { jobOf, screenReaderText } from "../status.ts";

/** LIMIT: problems on one page. */
const SIZE = 100;

/** Shows all problems of one linked folder, and what is pending. */
export const PROBLEMS = folderPage({
  path: "/m/:name/needs",
  section: "needs",
  showsUnread: true,
  show(_ui, folder, asked) {
    const { name, waits } = folder;
    const part = partOf(folder.needs, asked, SIZE);
    return ok({
      title: `Problems · ${name} · mdmirror`,
      said: screenReaderText(folder),
      main: html`<h1>Problems to solve</h1>
<div id="job">${jobOf(folder.job)}</div>
${
  part.total === 0
    ? emptyOf("No problems", "Nothing here needs a decision of yours.")
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
