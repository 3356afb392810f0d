import type { Bundle } from "../../page/bundle.ts";
import type { Served } from "../pages/origins.ts";
import type { Pages } from "../pages/open.ts";
import type { Core } from "../requests/dispatch.ts";

/**
 * The pages below `/app`, which nobody may ever ask for: their code is loaded, and their scripts
 * are read, when somebody does.
 */
export type PagesOptions = {
  readonly core: Core;
  /** What a proxy before the service is called; null: there is none, or pages are not for it. */
  readonly proxy: string | null;
  readonly loadBundle: () => Promise<Bundle>;
};

export type LoadPages = {
  (): Promise<Pages>;
  /** Ends them, if somebody has asked for one. */
  close(): Promise<void>;
};

/** @param where known once the service listens */
export function lazyPages({ core, proxy, loadBundle }: PagesOptions, where: () => Omit<Served, "proxy">): LoadPages {
  let opened: Promise<Pages> | null = null;
  const open = async (): Promise<Pages> => {
    const [{ openPages }, { Renderer }, bundle] = await Promise.all([
      import("../pages/open.ts"),
      import("../../page/renderer.ts"),
      loadBundle(),
    ]);
    return openPages(core, { served: { ...where(), proxy }, bundle, renderer: new Renderer() });
  };
  const load = (): Promise<Pages> => {
    opened ??= open().catch((error: unknown) => {
      // The next one who asks may have more luck.
      opened = null;
      throw error;
    });
    return opened;
  };
  const close = async () => (await opened)?.close();
  return Object.assign(load, { close });
}
