import { readVersion, type VersionSeen } from "../../mirror/operations/history/read-texts.ts";
import { ok, trouble } from "../../common/trouble.ts";
import { bytes } from "../../mirror/operations/results/when.ts";
import { nameOf as lastName } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import { nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { mirrorForm } from "../action.ts";
import { documentAddress, documentPart } from "../addresses.ts";
import { differenceOf } from "../diff-parts.ts";
import type { Moment } from "../page.ts";
import { originsPart } from "../origin-parts.ts";
import { crumbsOf, requestedPath, versionNumber } from "../path-parts.ts";
import { defineMirrorPage } from "../seen-mirror.ts";
import { timeOf } from "../time-parts.ts";

/** Shows one version of a document: the effect of restoring it, and its content. */

type Model = { readonly mirror: { readonly name: string; readonly root: string }; readonly version: VersionSeen };

export const VERSION = defineMirrorPage<Model>({
  path: "/m/:name/version/*",
  isLive: true,
  look(ui, { name, root }, asked) {
    const path = requestedPath(asked.params);
    const n = versionNumber(asked.query.get("n"));
    if (n === null) return trouble("usage", "that is not the number of a version", "go back to its history");
    const about = { key: `version ${n} ${path}`, file: path };
    const read = ui.reads.read(root, about, (local) => readVersion(local, path, n));
    return read.kind === "trouble" ? read : ok({ mirror: { name, root }, version: read.value });
  },
  show: ({ mirror, version }, moment) => {
    const { path, entry, text } = version;
    const history = documentAddress(mirror.name, "history", path);
    return {
      title: `@${entry.n} of ${lastName(path)} · ${mirror.name} · mdmirror`,
      main: html`${crumbsOf(mirror.name, path, true)}
<h1>Version ${entry.n} of ${nameView(lastName(path))}</h1>
<p>${timeOf(entry.at, moment.now)}: ${sentenceView(entry.what)} <span class="faint">${bytes(entry.size)}</span></p>
<p><a href="${history}">Its history</a></p>
${restorePart(mirror, version, moment)}
${changePart(version)}
${version.origins !== null && originsPart(version.origins)}
<h2>Text</h2>
<pre class="text" dir="auto">${text}</pre>`,
    };
  },
});

/**
 * Returns the effect of a restore; null if no local file can be read, or if the file already has
 * this content.
 */
function changePart({ entry, here, text }: VersionSeen): Html | null {
  if (here === null || here.text === null || here.digest === entry.digest) return null;
  const [before, after] = [
    { text: here.text, label: "The file now" },
    { text, label: `@${entry.n}` },
  ];
  return html`<h2>From the local file to this version</h2>${differenceOf(before, after)}`;
}

function restorePart(mirror: Model["mirror"], version: VersionSeen, moment: Moment): Html {
  const { path, entry, here, asNew, obstacle } = version;
  if (here?.digest === entry.digest)
    return html`<p class="notice good">This is the present content of the local file.</p>`;
  if (obstacle !== null)
    return html`<div class="notice asks"><p>It cannot be restored now: ${sentenceView(obstacle.what)}</p>${nextOf(obstacle.next)}</div>`;
  const fields = { n: String(entry.n), version: entry.digest, local: here?.digest ?? "" };
  const form = mirrorForm(
    mirror,
    { path: documentPart("restore", path), fields },
    moment,
    html`<button class="main-action">Restore this version</button>`,
  );
  const how = asNew
    ? "mdmirror uploads the version as a new document."
    : "The restored version becomes an edit; the present version stays in the history.";
  return html`<div class="row">${form}<span class="faint">${how}</span></div>`;
}
