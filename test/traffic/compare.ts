import type { Wire } from "../contract/suite/fetch-wire.ts";
import { Dice } from "../simulator/dice.ts";
import { Aliases } from "./aliases.ts";
import { drawRequest } from "./requests.ts";
import { Seen } from "./seen.ts";
import type { Sent } from "./sent.ts";

/** The same requests to two services, and every answer compared. */

/** A service that has no workspace yet. */
export type Side = { readonly name: string; readonly wire: Wire; readonly adminKey: string };

export type Plan = {
  readonly seed: number;
  readonly requests: number;
};

export type Compared = {
  readonly requests: number;
  /** How often each method and route was answered with each status. */
  readonly answers: ReadonlyMap<string, number>;
  /** The first one that differs; null: none does. */
  readonly difference: string | null;
};

type Answered = { readonly status: number; readonly headers: string; readonly text: string };

const CLIENTS = 20;
const WORKSPACES = 2;

export async function compareTraffic(one: Side, other: Side, plan: Plan): Promise<Compared> {
  const pair = new Pair(one, other);
  const dice = new Dice(plan.seed);
  const answers = new Map<string, number>();
  const keys: string[] = [];
  let requests = 0;
  const ask = async (sent: Sent) => {
    requests++;
    const status = await pair.ask(sent);
    const route = `${sent.method} ${sent.path.replace(/\?.*/s, "").replace(/\/(?:~[a-z]+~\d+~|(?:doc|dir|chg|key|wsp)_\w+)/g, "/{id}")} ${status}`;
    answers.set(route, (answers.get(route) ?? 0) + 1);
  };
  for (let n = 0; n < WORKSPACES; n++) await ask(admin("/admin/workspaces", { name: `workspace ${n}` }));
  pair.seen.workspaces.push(...pair.seen.keys.map(({ workspaceId }) => workspaceId));
  for (let n = 0; n < CLIENTS; n++) {
    const grants = CLIENT_GRANTS[n % CLIENT_GRANTS.length];
    await ask(
      admin("/admin/keys", { workspaceId: pair.seen.workspaces[n % 5 === 0 ? 1 : 0], grants, label: `client ${n}` }),
    );
  }
  keys.push(...pair.seen.keys.map(({ key }) => key));
  // ORDER: keys made later are revoked and changed; these are the clients' own.
  pair.seen.keys.length = pair.seen.workspaces.length;
  while (requests < plan.requests && pair.difference === null) await ask(drawRequest({ dice, seen: pair.seen }, keys));
  return { requests, answers, difference: pair.difference };
}

const admin = (path: string, body: object): Sent => ({ method: "POST", path, body, key: "admin" });

const FULL = [{ on: null, level: "full" }];
const EDIT = [{ on: null, level: "edit" }];
/** Grants on paths wait until something is there. */
const CLIENT_GRANTS: readonly object[] = [
  FULL,
  FULL,
  EDIT,
  [{ on: null, level: "read" }],
  [...EDIT, { on: "/a", level: "none" }],
  [{ on: "/a", level: "full" }],
  [...FULL, { on: "/ab", level: "read" }, { on: "/a.md", level: "none" }],
];

/** Two services that are asked in step. */
class Pair {
  readonly seen = new Seen();
  difference: string | null = null;
  readonly #sides: readonly { readonly side: Side; readonly aliases: Aliases }[];

  constructor(one: Side, other: Side) {
    this.#sides = [one, other].map((side) => ({ side, aliases: new Aliases() }));
  }

  /** @returns the status of the first one's answer */
  async ask(sent: Sent): Promise<number> {
    const answers: Answered[] = [];
    for (const { side, aliases } of this.#sides) answers.push(comparable(await askOne(side, aliases, sent), aliases));
    const [first, second] = answers as [Answered, Answered];
    if (first.status !== second.status || first.headers !== second.headers || first.text !== second.text) {
      const [one, other] = this.#sides.map(({ side }) => side.name);
      this.difference = [
        `${sent.method} ${sent.path} ${JSON.stringify(sent.body)} by ${sent.key}`,
        `${one}: ${told(first, second)}`,
        `${other}: ${told(second, first)}`,
      ].join("\n");
    } else if (first.text !== "") this.seen.learn(JSON.parse(first.text), sent.path.replace(/[?&]cursor=[^&]*/, ""));
    return first.status;
  }
}

/** An answer from shortly before where it differs from the other. */
function told({ status, headers, text }: Answered, other: Answered): string {
  let at = 0;
  while (at < text.length && text[at] === other.text[at]) at++;
  return `${status} ${headers} …${text.slice(Math.max(0, at - 60), at + 240)}`;
}

async function askOne({ wire, adminKey }: Side, aliases: Aliases, { method, path, body, key }: Sent) {
  const text = body === null ? null : typeof body === "string" ? body : JSON.stringify(body);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key !== null) headers["x-api-key"] = key === "admin" ? adminKey : aliases.reveal(key);
  const response = await wire({
    method,
    path: aliases.reveal(path),
    headers,
    body: text === null ? null : aliases.reveal(text),
  });
  return response;
}

/** Numbers that no two services share. */
const TIMES: ReadonlySet<string> = new Set(["at", "createdAt", "lastUsedAt"]);

function comparable({ status, headers, body }: Awaited<ReturnType<Wire>>, aliases: Aliases): Answered {
  const told = [
    headers["content-type"] ?? "",
    headers["retry-after"] ?? "",
    headers["x-request-id"] === undefined ? "no id" : "",
  ];
  if (body === "") return { status, headers: told.join("; "), text: "" };
  const json = JSON.parse(body, (name, value) => (name === "requestId" || TIMES.has(name) ? "*" : value));
  return { status, headers: told.join("; "), text: aliases.conceal(JSON.stringify(json)) };
}
