import { type Ground, request } from "./sent.ts";
import { folderName, someText } from "./words.ts";

/** What the administrator asks. */
export function adminRequest(ground: Ground) {
  const { dice, seen } = ground;
  const workspace = dice.below(15) === 0 ? "wsp_00000000000000" : dice.pick(seen.workspaces);
  switch (dice.below(14)) {
    case 0:
      return dice.below(3) === 0
        ? request("POST", "/admin/workspaces", { name: "more" })
        : request("GET", "/admin/workspaces");
    case 1:
      return request("GET", "/admin/keys");
    case 2:
      return request("POST", "/admin/keys", { workspaceId: workspace, ...keyMembers(ground) });
    case 3:
      return request("PATCH", `/admin/keys/${keyId(ground)}`, keyMembers(ground));
    case 4:
      return dice.below(4) === 0
        ? request("DELETE", `/admin/keys/${keyId(ground)}`)
        : request("GET", "/admin/settings");
    case 5:
      return request(
        "PATCH",
        "/admin/settings",
        dice.pick<object>([{ keepVersionsDays: 36_500 }, { keepVersionsDays: -1 }, { rateLimit: null }, { more: 1 }]),
      );
    case 6:
      return request(
        "PATCH",
        `/admin/workspaces/${workspace}`,
        dice.pick<object>([{ state: "open" }, { state: "open", retryAfter: 7 }, { state: "gone" }, {}]),
      );
    case 7:
    case 8:
      return request(
        "GET",
        `/admin/reviews?${dice.pick([`workspaceId=${workspace}&`, ""])}${dice.pick(["limit=2", "status=accepted", "status=rejected", "status=x", "limit=0"])}`,
      );
    case 9:
      return request("GET", `/admin/reviews/${reviewId(ground)}`);
    case 10:
    case 11:
      return request("POST", `/admin/reviews/${reviewId(ground)}/accept`);
    case 12:
      return request("POST", `/admin/reviews/${reviewId(ground)}/accept`, { content: someText(dice) });
    default:
      return request("POST", `/admin/reviews/${reviewId(ground)}/reject`);
  }
}

function reviewId({ dice, seen }: Ground): string {
  return seen.reviews.length === 0 || dice.below(20) === 0 ? "chg_00000000000000" : dice.pick(seen.reviews);
}

/** Of the keys that were made on the way: the first ones are the clients' own. */
function keyId({ dice, seen }: Ground): string {
  const made = seen.keys.slice(seen.workspaces.length);
  return made.length === 0 ? "key_00000000000000" : dice.pick(made).id;
}

const LEVELS = ["none", "read", "edit", "full"] as const;

function keyMembers(ground: Ground): object {
  const { dice, seen } = ground;
  const places = [
    null,
    "/",
    seen.folder(dice)?.path ?? "/a",
    seen.file(dice)?.id ?? "/b.md",
    seen.folder(dice)?.id ?? "/c",
    `/${folderName(dice)}`,
  ];
  const grants = Array.from({ length: dice.below(4) }, () => ({ on: dice.pick(places), level: dice.pick(LEVELS) }));
  return {
    grants,
    label: dice.pick(["", "é", "x"]),
    ...(dice.below(5) === 0 ? { expiresAt: dice.pick([1, 4e12]) } : {}),
  };
}
