import type { HistoryEntry } from "../../mirror/operations/history/history.ts";
import { type NamedText, readText, type TextName } from "../../mirror/operations/history/read-texts.ts";
import type { Timeline } from "../../mirror/operations/history/timeline.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok, trouble } from "../../common/trouble.ts";
import { nameOf } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import { nameView } from "../../page/parts.ts";
import { differenceOf } from "../../page/side-by-side.ts";
import { documentAddress } from "../addresses.ts";
import { folderPage } from "../page.ts";
import { crumbsOf, numberIn, requestedPath, timeOf } from "../parts.ts";

/** LIMIT: versions in a list. */
const MAX_VERSIONS = 100;

/** Returns a form that compares two versions, or a version with the file. */
export function compareForm(
  mirror: string,
  { path, localDigest, now }: Timeline,
  entries: readonly HistoryEntry[],
): Html | null {
  const kept = entries
    .filter(({ size }) => size !== null)
    .map(({ n }) => n)
    .toReversed()
    .slice(0, MAX_VERSIONS);
  if (kept.length + (localDigest === null ? 0 : 1) < 2) return null;
  const options = (chosen: string) => [
    localDigest !== null && html`<option value="here"${chosen === "here" && html` selected`}>the file now</option>`,
    ...kept.map((n) => html`<option value="${n}"${chosen === String(n) && html` selected`}>version ${n}</option>`),
  ];
  const newest = localDigest === null ? String(kept[0]) : "here";
  const before = String(kept.find((n) => n !== now && String(n) !== newest) ?? kept[0]);
  return html`<form action="${documentAddress(mirror, "diff", path)}" class="row">
<label for="from">Compare</label><select id="from" name="from">${options(before)}</select>
<label for="to">with</label><select id="to" name="to">${options(newest)}</select><button>Show</button></form>`;
}

/** Compares two versions of a document. */
export const DIFF = folderPage({
  path: "/m/:name/diff/*",
  section: "history/",
  show(ui, { name: mirror, root }, request) {
    const asPath = requestedPath(request);
    const [from, to] = [requestedText(request.query.get("from")), requestedText(request.query.get("to"))];
    if (from === null || to === null)
      return trouble("usage", "two versions are missing in the address", "go back to its history");
    const read = withLocal(root, ui, (local) => {
      const before = readText(local, asPath, from);
      if (before.kind === "trouble") return before;
      const after = readText(local, asPath, to);
      return after.kind === "trouble" ? after : ok({ before: before.value, after: after.value });
    });
    if (read.kind === "trouble") return read;
    const { before, after } = read.value;
    const { path } = after;
    const nameText = (text: NamedText) => textName(mirror, path, text, request.now);
    return ok({
      title: `Changes of ${nameOf(path)} · ${mirror} · mdmirror`,
      main: html`${crumbsOf(mirror, path, true)}
<h1>Changes of ${nameView(nameOf(path))}</h1>
<dl class="facts"><dt>From</dt><dd>${nameText(before)}</dd><dt>To</dt><dd>${nameText(after)}</dd></dl>
<p><a href="${documentAddress(mirror, "history", path)}">Its history</a></p>
${differenceOf(labelled(before), labelled(after))}`,
    });
  },
});

function labelled({ text, name }: NamedText): { readonly text: string; readonly label: string } {
  return { text, label: name === "here" ? "The file now" : `Version ${name}` };
}

function requestedText(text: string | null): TextName | null {
  return text === "here" ? text : numberIn(text);
}

function textName(mirror: string, path: string, { name, at }: NamedText, now: number): Html {
  if (name === "here") return html`<a href="${documentAddress(mirror, "docs", path)}">the file now</a>`;
  return html`<a href="${documentAddress(mirror, "history", path, { n: name })}">version ${name}</a> ${timeOf(at ?? 0, now)}`;
}
