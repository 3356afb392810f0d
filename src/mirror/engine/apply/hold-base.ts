import type { Outcome } from "../../model/action.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { PassContext } from "../run/pass-context.ts";
import { fetchText, stale } from "./effect.ts";

/**
 * Makes sure that the base's text is in the store before a PUT overwrites it on the service (I03,
 * I07). If the store lost it, it is read from the service, as long as the document still stands at
 * that version. Otherwise the document was edited on both sides and its base is lost, which the
 * next plan deals with.
 * @returns null when the store holds the text
 */
export async function holdBase(ctx: PassContext, link: Link, path: LocalPath): Promise<Outcome | null> {
  const { state } = ctx.world;
  if (state.text(link.digest) !== null) return null;
  const live = await fetchText(ctx, link.id, path);
  if (live.kind === "end") return live.outcome;
  if (live.value.file.lastChangeId !== link.changeId) return stale("it was edited on the service meanwhile");
  // ORDER: before the PUT: a power cut could take back the last commits of the store, but never
  // the PUT.
  state.secureTexts();
  return null;
}
