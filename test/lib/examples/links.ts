import { findLinks, type Place, respell, toDisk, toService } from "mdmirror/links";

// Ids by path. A real folder would have two such maps.
const ids = { "plan.md": "doc_plan", "policies/refunds.md": "doc_refunds" };
const at = (path: string, all: Record<string, string>): Place => ({
  path,
  idAt: (wanted) => all[wanted] ?? null,
  pathOf: (id) => Object.keys(all).find((one) => all[one] === id) ?? null,
});
const plan = at("plan.md", ids);

const text = "As in [refunds].\n\n[refunds]: policies/refunds.md#late\n[chart]: chart.png\n";
const kept = toService(text, plan);
console.log(kept);
console.log(toDisk(kept, plan) === text);

// The target of the link moves: its id stays the same, and the local link follows.
const moved = at("plan.md", { "plan.md": "doc_plan", "rules/money back.md": "doc_refunds" });
console.log(findLinks(respell(text, plan, moved)).map(({ destination }) => destination));
