import { plural } from "../../../common/count.ts";
import { html } from "../../../page/html.ts";
import { actionForm, nameOf } from "../../../page/parts.ts";
import { APP, workspaceAddress } from "../addresses.ts";
import { NO_PAGE, notShown, page, type PageResult } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { titled } from "../title.ts";

/** Asks before a workspace is removed with all its contents. */
export async function showRemoval({ core, params, csrf }: PageCall): Promise<PageResult> {
  const workspace = (await core.admin.workspaces()).find(({ id }) => id === params[0]);
  if (workspace === undefined) return notShown({ ...NO_PAGE, what: "there is no such workspace" });
  const { id, name, documents } = workspace;
  return page({
    title: titled(`Remove ${name}`),
    here: APP,
    main: html`<h1>Remove ${nameOf(name)}?</h1>
<p class="notice bad">${plural(documents, "document")} with all their history would be deleted for good. Linked folders keep
their files.</p>
${actionForm(
  { action: `${workspaceAddress(id)}/remove`, csrf },
  html`<span class="stack"><label for="name">Type its name to confirm</label>
<input id="name" name="name" required autocomplete="off" spellcheck="false"><button class="danger">Delete permanently</button></span>`,
)}
<p><a href="${APP}">Keep it</a></p>`,
  });
}
