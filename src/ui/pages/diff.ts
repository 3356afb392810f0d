import { type NamedText, readText, type TextName } from "../../mirror/operations/history/read-texts.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { nameOf as lastName } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import { nameView } from "../../page/parts.ts";
import { documentAddress } from "../addresses.ts";
import { differenceOf } from "../diff-parts.ts";
import { crumbsOf, requestedPath, versionNumber } from "../path-parts.ts";
import { defineMirrorPage } from "../seen-mirror.ts";
import { timeOf } from "../time-parts.ts";

/** Compares two versions of a document. */

type Model = {
  readonly mirror: string;
  readonly path: string;
  readonly from: NamedText;
  readonly to: NamedText;
};

export const DIFF = defineMirrorPage<Model>({
  path: "/m/:name/diff/*",
  isLive: true,
  look(ui, { name: mirror, root }, asked) {
    const path = requestedPath(asked.params);
    const [from, to] = [nameAsked(asked.query.get("from")), nameAsked(asked.query.get("to"))];
    if (from === null || to === null)
      return trouble("usage", "two versions are missing in the address", "go back to its history");
    return ui.reads.read(root, { key: `diff ${from} ${to} ${path}`, file: path }, (local): Result<Model> => {
      const before = readText(local, path, from);
      if (before.kind === "trouble") return before;
      const after = readText(local, path, to);
      return after.kind === "trouble"
        ? after
        : ok({ mirror, path: after.value.path, from: before.value, to: after.value });
    });
  },
  show: ({ mirror, path, from, to }, { now }) => ({
    title: `Changes of ${lastName(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path, true)}
<h1>Changes of ${nameView(lastName(path))}</h1>
<dl class="facts"><dt>From</dt><dd>${textName(mirror, path, from, now)}</dd><dt>To</dt><dd>${textName(mirror, path, to, now)}</dd></dl>
<p><a href="${documentAddress(mirror, "history", path)}">Its history</a></p>
${differenceOf({ text: from.text, label: labelOf(from) }, { text: to.text, label: labelOf(to) })}`,
  }),
});

function labelOf({ name }: NamedText): string {
  return name === "here" ? "The file now" : `@${name}`;
}

function nameAsked(text: string | null): TextName | null {
  if (text === "here") return text;
  return versionNumber(text);
}

function textName(mirror: string, path: string, { name, at }: NamedText, now: number): Html {
  if (name === "here") return html`<a href="${documentAddress(mirror, "docs", path)}">the file now</a>`;
  const address = documentAddress(mirror, "version", path, { n: name });
  return html`<a href="${address}">@${name}</a> ${timeOf(at ?? 0, now)}`;
}
