import { RequestHistory } from "../../../src/service/http/metrics.ts";
import { type PageAnswer, Pages } from "../../../src/service/pages/site.ts";
import type { ServedAddress } from "../../../src/page/same-site.ts";
import { renderMarkdown } from "../../../src/page/render-markdown.ts";
import type { Bundle } from "../../../src/page/bundle.ts";
import type { DatabaseLocation } from "../../../src/service/store/sqlite/database.ts";
import { emptyDatabase } from "../../simulator/empty-service.ts";
import { ADMIN_KEY, type Opened, openService } from "../fixture.ts";

/**
 * The service's web pages in the test's process: no HTTP, no browser, a clock that the test moves.
 */

const asset = (type: string) => ({ type, bytes: new TextEncoder().encode("/* x */") });
const BUNDLE: Bundle = {
  names: new Map(["page.js", "editor.js", "style.css", "icon.svg"].map((name) => [name, `1-${name}`])),
  assets: new Map([
    ["1-page.js", asset("text/javascript; charset=utf-8")],
    ["1-style.css", asset("text/css; charset=utf-8")],
    ["1-icon.svg", asset("image/svg+xml")],
  ]),
  base: "/assets/",
};

const SERVED: ServedAddress = { scheme: "http", host: "127.0.0.1", port: 8420, proxy: null };
export const HOST = "127.0.0.1:8420";
const ORIGIN = `http://${HOST}`;

type Sent = { readonly headers?: Readonly<Record<string, string | undefined>>; readonly from?: string };

export type PagesRig = Opened & {
  readonly faults: unknown[];
  readonly clock: { now: number };
  /** Sends any request, without the headers of a browser. */
  ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    from?: string,
  ): Promise<PageAnswer>;
  /** Signs in like a browser. */
  signIn(key?: string, sent?: Sent): Promise<Browser>;
};

/** A browser: it sends its cookie, and the token of the form that it shows. */
export type Browser = {
  readonly cookie: string;
  get(path: string): Promise<PageAnswer>;
  see(path: string): Promise<string>;
  /** Sends a form, and does not follow a redirect. */
  post(path: string, form?: Readonly<Record<string, string | readonly string[]>>): Promise<PageAnswer>;
  /** Sends a form. Returns the page to which the answer redirects. */
  submit(path: string, form?: Readonly<Record<string, string | readonly string[]>>): Promise<string>;
  readonly csrf: string;
};

export async function openRig(
  served: Partial<ServedAddress> = {},
  database: DatabaseLocation = emptyDatabase(),
): Promise<PagesRig> {
  const clock = { now: Date.UTC(2026, 10, 23) };
  const faults: unknown[] = [];
  const opened = await openService({ database, now: () => clock.now, onFault: (error) => faults.push(error) });
  const renderer = { render: renderMarkdown, close: () => undefined };
  const history = new RequestHistory(
    () => clock.now,
    async () => null,
  );
  const metrics = { history, routes: () => [], uptimeMs: () => 1 };
  const operation = { metrics, figures: opened.service.figures };
  const pages = new Pages(opened.service.core, {
    served: { ...SERVED, ...served },
    bundle: BUNDLE,
    renderer,
    operation,
  });
  const ask: PagesRig["ask"] = async (method, path, headers, body, from = "192.0.2.1") => {
    const early = await pages.admit({ method, path, headers }, Buffer.byteLength(body ?? ""));
    return early ?? pages.handle({ method, path, headers, body: body ?? null }, null, { from });
  };
  const signIn: PagesRig["signIn"] = async (key = ADMIN_KEY, { headers = {}, from } = {}) => {
    const own = defined({ host: HOST, origin: ORIGIN, "sec-fetch-site": "same-origin", ...headers });
    const form = { ...own, "content-type": "application/x-www-form-urlencoded" };
    const entered = await ask("POST", "/app/sign-in", form, String(new URLSearchParams({ key })), from);
    const set = entered.headers["set-cookie"];
    if (set === undefined) throw new Error(`not signed in: ${entered.status} ${text(entered)}`);
    const cookie = set.split(";")[0]!;
    const get = (path: string) => ask("GET", path, { ...own, cookie });
    const see = async (path: string) => text(await get(path));
    const csrf = /name="csrf" value="([^"]+)"/.exec(await see("/app/sign-out"))?.[1] ?? "";
    const post: Browser["post"] = async (path, members = {}) => {
      const sent = new URLSearchParams({ csrf });
      for (const [name, value] of Object.entries(members)) for (const one of [value].flat()) sent.append(name, one);
      return await ask("POST", path, { ...form, cookie }, String(sent));
    };
    const submit: Browser["submit"] = async (path, members) => {
      const { status, headers: got } = await post(path, members);
      if (status !== 303) throw new Error(`${path} ended in ${status}`);
      return see(got["location"]!);
    };
    return { cookie, csrf, get, see, post, submit };
  };
  return { ...opened, faults, clock, ask, signIn };
}

/** Opens a rig with a browser in which the administrator is signed in. */
export async function openSignedIn(): Promise<PagesRig & { readonly browser: Browser }> {
  const rig = await openRig();
  return { ...rig, browser: await rig.signIn() };
}

export function text({ body }: PageAnswer): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(given);
}
