import type { Link } from "../page/layout.ts";
import { mirrorAddress } from "./addresses.ts";

/** Builds the navigation of a linked folder. */

type Section = {
  /** Path of the section below the folder's address. */
  readonly part: string;
  readonly label: string;
  /** Route of the page. */
  readonly page: string;
  /** Routes of pages that belong to this section and have no entry of their own. */
  readonly within?: readonly string[];
};

const SECTIONS: readonly Section[] = [
  { part: "", label: "Overview", page: "/m/:name" },
  {
    part: "needs",
    label: "Action required",
    page: "/m/:name/needs",
    within: ["/m/:name/safety-stop", "/m/:name/conflict/*"],
  },
  { part: "docs/", label: "Documents", page: "/m/:name/docs/*", within: ["/m/:name/why/*"] },
  {
    part: "history/",
    label: "History",
    page: "/m/:name/history/*",
    within: ["/m/:name/version/*", "/m/:name/diff/*"],
  },
  { part: "runs", label: "Runs", page: "/m/:name/runs", within: ["/m/:name/runs/:run"] },
  { part: "search", label: "Search", page: "/m/:name/search" },
  { part: "reviews", label: "Reviews", page: "/m/:name/reviews" },
  { part: "log", label: "Log", page: "/m/:name/log" },
];

/**
 * Returns the navigation.
 * @param name of the linked folder
 * @param shown the present page: its route and its address
 */
export function sectionsOf(name: string, shown: { readonly page: string; readonly address: string }): readonly Link[] {
  return SECTIONS.map(({ part, label, page, within = [] }) => {
    const href = mirrorAddress(name, part);
    const isOfIt = page === shown.page || within.includes(shown.page);
    return { href, label, current: href === shown.address ? "page" : isOfIt ? "true" : null };
  });
}
