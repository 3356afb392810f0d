import { ok } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import { badgeOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import { type ConflictModel, modelOfConflict } from "../conflict-model.ts";
import { choicesOf, standsAs } from "../conflict-parts.ts";
import { draftLeft, resultOf } from "../conflict-result.ts";
import { textsOf, type View, requestedView } from "../conflict-texts.ts";
import { definePage, type Moment } from "../page.ts";

type Model = { readonly conflict: ConflictModel; readonly view: View };

/** Shows a conflict or a block: its versions side by side, the choices, and the result to edit. */
export const CONFLICT = definePage<Model>({
  path: "/m/:name/conflict/*",
  isLive: true,
  async look(ui, { params, query }) {
    const looked = await ui.looks.one(params["name"]!);
    if (looked.kind === "trouble") return looked;
    const conflict = modelOfConflict(ui, looked.value, params["*"]!);
    return conflict.kind === "trouble" ? conflict : ok({ conflict: conflict.value, view: requestedView(query) });
  },
  show: ({ conflict, view }, moment) => ({
    title: `${conflict.path} · ${conflict.name} · mdmirror`,
    said: saidOf(conflict),
    scripts: conflict.open?.ways.includes("merged") === true ? ["conflict.js"] : [],
    main: conflict.open === null ? overOf(conflict) : openOf(conflict, view, moment),
  }),
});

function saidOf({ path, open }: ConflictModel): string {
  if (open === null) return `${path}: nothing is open`;
  return `${path}: ${open.conflict === null ? "blocked" : "in conflict"}`;
}

function openOf(conflict: ConflictModel, view: View, moment: Moment): Html {
  const { open, path, busy } = conflict;
  const versions = Object.values(open!.versions).join(" ");
  return html`<h1>${nameView(path)}</h1>
<div id="stands" data-versions="${versions}">${standsAs(conflict, moment.now)}</div>
${busy !== null && html`<p id="busy" class="notice quiet">${busy} is running in this folder; you can choose when it has ended.</p>`}
${choicesOf(conflict, moment)}
${textsOf(conflict, view)}
${resultOf(conflict, view, moment)}
${othersOf(conflict)}`;
}

/**
 * Returns the content if no problem is open at the path, because the problem has ended or never
 * existed.
 */
function overOf(conflict: ConflictModel): Html {
  const { path, why, name } = conflict;
  return html`<h1>${nameView(path)}</h1>
<div id="stands" data-versions=""><p>${badgeOf("quiet", "nothing to choose")} ${sentenceView(why!.what)}</p>${nextOf(why!.next)}</div>
${draftLeft(conflict)}
${othersOf(conflict)}
<p><a href="${mirrorAddress(name, "needs")}">All problems of ${nameView(name)}</a></p>`;
}

function othersOf({ name, others }: ConflictModel): Html | null {
  if (others.length === 0) return null;
  return html`<section id="others"><h2>Other conflicts</h2><ul>${others.map(
    (path) => html`<li><a href="${documentAddress(name, "conflict", path)}">${nameView(path)}</a></li>`,
  )}</ul></section>`;
}
