import type { ServedAddress } from "../../page/same-site.ts";
import type { FigureSources } from "../pages/call.ts";
import type { Pages } from "../pages/site.ts";
import type { ServiceCore } from "../requests/dispatch.ts";

/**
 * Options of the web pages below `/app`. The code of the pages is loaded when a page is first
 * requested, because many services never show a page.
 */
export type PagesOptions = {
  readonly core: ServiceCore;
  /** Origin at which a proxy serves the pages to browsers; null if there is no proxy. */
  readonly proxy: string | null;
};

export type PagesLoader = {
  (): Promise<Pages>;
  close(): Promise<void>;
};

type PagesSources = FigureSources & {
  /** Returns the addresses of the service, which are not known before the service listens. */
  readonly where: () => Omit<ServedAddress, "proxy">;
};

export function makePagesLoader({ core, proxy }: PagesOptions, sources: PagesSources): PagesLoader {
  let pagesPromise: Promise<Pages> | null = null;
  const openPages = async (): Promise<Pages> => {
    const { Pages } = await import("../pages/site.ts");
    const { Renderer } = await import("../../page/renderer.ts");
    const { loadBundle } = await import("../../page/page-bundle.ts");
    const servedAddress = { ...sources.where(), proxy };
    return new Pages(core, {
      served: servedAddress,
      bundle: await loadBundle(),
      renderer: new Renderer(),
      operation: sources,
    });
  };
  const load = (): Promise<Pages> => {
    pagesPromise ??= openPages().catch((error: unknown) => {
      // If loading the pages fails, the promise is forgotten, so that the next request tries again.
      pagesPromise = null;
      throw error;
    });
    return pagesPromise;
  };
  const close = async () => (await pagesPromise)?.close();
  return Object.assign(load, { close });
}
