import type { KeyWishes, WantedGrant } from "../../service/admin/change.ts";
import { readIso } from "../../mirror/operations/history/as-of.ts";
import { parseAge } from "../../common/age.ts";
import type { Args, Io } from "../command.ts";
import { readRate } from "../read-rate.ts";

const LEVELS: readonly string[] = ["full", "edit", "read", "none"];

/** What `--grant`, `--expires`, `--rate` and `--label` ask for. @returns why one is no good */
export function readWishes(args: Args, io: Io): KeyWishes | string {
  const rateLimit = readRate(args.text("rate"));
  if (rateLimit === "bad") return "--rate takes N/SECONDS, or none";
  const expiresAt = readExpiry(args.text("expires"), io.clock.now());
  if (expiresAt === "bad") return "--expires takes a time to come, such as 30d or 2027-01-31, or never";
  const grants: WantedGrant[] = [];
  for (const text of args.texts("grant")) {
    const grant = readGrant(text);
    if (grant === null) return `--grant takes PATH=LEVEL, where LEVEL is ${LEVELS.join(", ")}; / is everything`;
    grants.push(grant);
  }
  const label = args.text("label");
  return {
    ...(grants.length === 0 ? {} : { grants }),
    ...(label === null ? {} : { label }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

/** `notes/2026=read`; the path may hold `=` itself. */
function readGrant(text: string): WantedGrant | null {
  const cut = text.lastIndexOf("=");
  const level = text.slice(cut + 1);
  const path = text.slice(0, Math.max(0, cut)).replace(/^\/+|\/+$/g, "");
  return cut < 1 || !LEVELS.includes(level) ? null : { path: `/${path}`, level };
}

function readExpiry(text: string | null, now: number): number | null | undefined | "bad" {
  if (text === null) return undefined;
  if (text === "never") return null;
  const length = parseAge(text);
  const at = length === null ? readIso(text) : now + length;
  return at === null || at <= now ? "bad" : at;
}
