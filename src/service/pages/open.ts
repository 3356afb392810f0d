import { randomBytes } from "node:crypto";
import type { WireRequest } from "../../contract/wire.ts";
import type { Bundle } from "../../page/bundle.ts";
import type { BodyFault } from "../requests/body.ts";
import { newId } from "../requests/context.ts";
import type { Core, RequestHead } from "../requests/dispatch.ts";
import { isDiskFull } from "../store/store.ts";
import { Door } from "./door.ts";
import type { Served } from "./origins.ts";
import type { Render } from "../../page/renderer.ts";
import { ASSETS, type PageAnswer, Site } from "./site.ts";

/** Web pages of a service. */
export type Pages = {
  /**
   * Judges a request by its head.
   * @returns the answer if the body need not be read; else null
   */
  admit(head: RequestHead, bytes: number): Promise<PageAnswer | null>;
  /** @param from network address of the client */
  handle(request: WireRequest, fault: BodyFault | null, from: string): Promise<PageAnswer>;
  close(): void;
};

/** Dependencies of the pages. */
export type PagesWorld = { readonly served: Served; readonly bundle: Bundle; readonly renderer: PagesRenderer };

/** Renders Markdown; closed together with the pages. */
type PagesRenderer = { readonly render: Render; close(): void };

const SECRET_BYTES = 32;

export function openPages(core: Core, { served, bundle, renderer }: PagesWorld): Pages {
  const secret = () => randomBytes(SECRET_BYTES).toString("base64url");
  const door = new Door(core, { served, secret });
  const site = new Site(core, { door, bundle: { ...bundle, base: ASSETS }, secret, render: renderer.render });
  return {
    admit: (head, bytes) => guarded(core, site, () => site.admit(head, bytes)),
    async handle(request, fault, from) {
      const answer = await guarded(core, site, () => site.handle(request, fault, from));
      core.served(request.method !== "GET");
      return answer;
    },
    close: () => renderer.close(),
  };
}

/** Answers an exception of one page with a failure page, so that nothing else is affected. */
async function guarded<T extends PageAnswer | null>(
  core: Core,
  site: Site,
  work: () => Promise<T>,
): Promise<T | PageAnswer> {
  try {
    return await work();
  } catch (error) {
    return failed(core, site, error);
  }
}

function failed(core: Core, site: Site, error: unknown): PageAnswer {
  core.onFault(error, newId(core.server, "req_"));
  return isDiskFull(error) ? site.full() : site.failed();
}
