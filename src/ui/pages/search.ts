import { type FoundFile, type FoundLine, searchMirror } from "../../mirror/operations/search.ts";
import { ok, type Trouble } from "../../common/trouble.ts";
import { foundPieces, queryFault } from "../../mirror/operations/results/search.ts";
import { SEARCH_HYBRID, SEARCH_REGEX } from "../../contract/limits.ts";
import { plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import { defineMirrorPage } from "../seen-mirror.ts";

/** Searches the full text, as `mdmirror search` does. Writes only the index. */

type Model = { readonly name: string; readonly query: string; readonly regex: boolean; readonly answer: Answer };

type Answer =
  /** The search field is empty, so nothing is searched. */
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly what: string; readonly next: string | null }
  | { readonly kind: "found"; readonly files: readonly FoundFile[]; readonly notes: readonly string[] };

export const SEARCH = defineMirrorPage<Model>({
  path: "/m/:name/search",
  isLive: false,
  async look(ui, { name, root }, asked) {
    const query = asked.query.get("q") ?? "";
    const regex = asked.query.get("regex") !== null;
    const common = { name, query, regex };
    if (query.trim() === "") return ok({ ...common, answer: { kind: "none" } });
    const fault = queryFault(query, regex);
    if (fault !== null) return ok({ ...common, answer: { kind: "refused", what: fault, next: null } });
    const limit = (regex ? SEARCH_REGEX : SEARCH_HYBRID).default;
    const searched = await searchMirror(root, ui.random, { query, regex, limit });
    const answer: Answer =
      searched.kind === "trouble" ? refused(searched.trouble) : { kind: "found", ...searched.value };
    return ok({ ...common, answer });
  },
  show: ({ name, query, regex, answer }) => ({
    title: `${query.trim() === "" ? "Search" : `${query}: search`} · ${name} · mdmirror`,
    scripts: ["search.js"],
    main: html`<h1>Search in ${nameView(name)}</h1>
<form id="search" role="search" method="get" action="${mirrorAddress(name, "search")}" class="row">
<label for="q">Words or parts of words</label>
<input id="q" type="search" name="q" value="${query}" dir="auto" autocomplete="off" spellcheck="false" autofocus aria-controls="found">
<label class="check"><input type="checkbox" name="regex"${regex && html` checked`}>regular expression (RE2)</label>
<button>Search</button>
</form>
<p id="said-found" role="status" class="unseen"></p>
<p id="slow" class="faint" hidden>Searching …</p>
<p id="failed" role="alert" class="notice bad" hidden>The search was not answered. Reload the page, or try again.</p>
<div id="found">${answerOf(name, answer)}</div>`,
  }),
});

function refused({ what, next }: Trouble): Answer {
  return { kind: "refused", what, next };
}

function answerOf(mirror: string, answer: Answer): Html {
  switch (answer.kind) {
    case "none":
      return html`<p class="faint">Searches the local files, including edits that are not uploaded.</p>`;
    case "refused":
      return html`<p id="count" class="notice asks">${sentenceView(answer.what)}</p>${answer.next !== null && nextOf(answer.next)}`;
    case "found":
      return html`${answer.notes.map((note) => html`<p class="notice quiet">${sentenceView(note)}</p>`)}
<p id="count">${answer.files.length === 0 ? "Nothing found." : plural(answer.files.length, "document")}</p>
<ol class="found">${answer.files.map((file) => fileOf(mirror, file))}</ol>`;
  }
}

function fileOf(mirror: string, { path, lines }: FoundFile): Html {
  return html`<li class="found-file"><a href="${documentAddress(mirror, "docs", path)}">${nameView(path)}</a>${
    lines.length > 0 && html`<ul class="found-lines">${lines.map(lineOf)}</ul>`
  }</li>`;
}

function lineOf(line: FoundLine): Html {
  return html`<li class="found-line"><span class="faint"><span class="unseen">line </span>${line.line}</span> <span dir="auto">${foundPieces(
    line,
  ).map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text))}</span></li>`;
}
