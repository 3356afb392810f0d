/** Starts the server of the local pages. */

import { Renderer } from "../page/renderer.ts";
import { loadBundle } from "../page/page-bundle.ts";
import { errorCodeOf, errnoClause, ok, type Result, trouble } from "../common/trouble.ts";
import { type ConnectionEnds, type PeerUser, peerOf } from "../mirror/trust/peer.ts";
import { BoundedMap } from "../common/bounded-map.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import { UiAccess } from "./access.ts";
import { Folders } from "./folders.ts";
import { Searches } from "./searches.ts";
import { Stops } from "./stops.ts";
import type { LinkDraft, RefusedLink } from "./linking.ts";
import { listen } from "./http.ts";
import { Jobs } from "./jobs.ts";
import { Notices } from "../page/notices.ts";

const NOTICE_DIGITS = 16;
/** LIMIT: unsaved contents of forms that stay in memory. */
const MAX_DRAFTS = 50;
/** LIMIT: planned links of folders that stay in memory. */
const MAX_LINKS = 8;

export type UiOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  /** Real paths of the folders to show; null for all. */
  readonly roots: ReadonlySet<string> | null;
  /** Called for a bug. The page itself shows no details of the error. */
  readonly onFault: (error: unknown) => void;
  /** Returns the user at the other end of a connection; default: the system's answer. */
  readonly peerOf?: (ends: ConnectionEnds) => PeerUser;
  /** Milliseconds within which a request's headers must arrive. */
  readonly arriveMs?: number;
};

const ARRIVE_MS = 10_000;

export type RunningUi = {
  readonly url: string;
  /** Returns an address that admits one browser, once. */
  enterUrl(): string;
  /** Stops the server. Resolves after all jobs of pages have ended. */
  close(): Promise<void>;
};

export async function startUi(options: UiOptions): Promise<Result<RunningUi>> {
  const { env, cwd, clock, random, port, roots, onFault } = options;
  const jobs = new Jobs({ clock, onFault });
  const world = { env, cwd, clock, random, jobs };
  const ui = {
    ...world,
    drafts: new BoundedMap<string, string>(MAX_DRAFTS),
    links: new BoundedMap<string, LinkDraft | RefusedLink>(MAX_LINKS),
    documents: new Renderer(),
    stops: new Stops({ ...world, onFault }),
    searches: new Searches(world),
    folders: new Folders(world, roots),
  };
  const site = {
    ui,
    access: new UiAccess(world),
    notices: new Notices(() => random.hex(NOTICE_DIGITS)),
    bundle: await loadBundle(),
    onFault,
    peerOf: options.peerOf ?? peerOf,
    arriveMs: options.arriveMs ?? ARRIVE_MS,
  };
  try {
    const listening = await listen(site, port);
    const url = `http://127.0.0.1:${listening.port}`;
    return ok({
      url,
      enterUrl: () => `${url}/enter?token=${site.access.issueTicket()}`,
      // ORDER: the server stops taking requests first, then waits for jobs.
      close: async () => {
        await listening.close();
        ui.documents.close();
        await jobs.idle();
      },
    });
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === null || !/^E[A-Z]+$/.test(code)) throw error;
    const what = `port ${port} of 127.0.0.1 cannot be used: ${errnoClause(error)}`;
    return trouble("usage", what, "give another with --port N, or none for any free one", { code });
  }
}
