/** Kinds of load, each as the requests that one connection sends. */

export type Known = { readonly id: string; lastChangeId: string; readonly path: string };

export type PlannedRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: object | null;
  /** Called with the answer if the next request depends on it. */
  readonly heard?: (body: string) => void;
};

export type ConnectionSetup = {
  readonly known: readonly Known[];
  /** Number of this connection, and of all connections. */
  readonly mine: number;
  readonly connections: number;
  /** Part of names, so that no other run has the same names. */
  readonly run: string;
};

/** Returns a function that makes the n-th request of a connection. */
type Kind = (setup: ConnectionSetup) => (n: number) => PlannedRequest;

/**
 * Distance of two documents in a row, so that neighbours in the database are not requested one
 * after the other.
 */
const STRIDE = 7_919;

const any = ({ known, mine, connections }: ConnectionSetup, n: number) =>
  known[((n * connections + mine) * STRIDE) % known.length]!;

const get = (path: string): PlannedRequest => ({ method: "GET", path, body: null });

const KINDS = {
  read: (setup) => (n) => get(`/v1/files/${any(setup, n).id}`),
  "read one":
    ({ known }) =>
    (_n) =>
      get(`/v1/files/${known[0]!.id}`),
  "list 100": (_setup) => {
    let cursor = "";
    return () => ({
      ...get(`/v1/files?limit=100${cursor}`),
      heard: (body) => {
        const { nextCursor } = JSON.parse(body) as { nextCursor: string | null };
        cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
      },
    });
  },
  "list 1,000": (_setup) => (_n) => get("/v1/files?limit=1000"),
  "list a folder": (setup) => (n) =>
    get(`/v1/files?path_prefix=${encodeURIComponent(any(setup, n).path.split("/").slice(0, -1).join("/"))}`),
  create:
    ({ mine, run }) =>
    (n) => ({
      method: "POST",
      path: "/v1/files",
      body: { path: `made-${run}/by-${mine}/document-${n}.md`, content: `# Made ${n}\n\nSome words of plain prose.\n` },
    }),
  edit:
    ({ known, mine, connections, run }) =>
    (n) => {
      // Each connection edits its own documents, so that every edit is based on the live version.
      const own = Math.floor(known.length / connections);
      const one = known[mine * own + (n % own)]!;
      return {
        method: "PUT",
        path: `/v1/files/${one.id}/content`,
        body: { baseChangeId: one.lastChangeId, content: `# Edited ${run} ${n}\n\nSome words of plain prose.\n` },
        heard: (body) => {
          one.lastChangeId = (JSON.parse(body) as { file: { lastChangeId: string } }).file.lastChangeId;
        },
      };
    },
  search: (setup) => (n) => ({
    method: "POST",
    path: "/v1/search/hybrid",
    body: { query: `number${(n * 37 + setup.mine) % 5_000} prose`, limit: 10 },
  }),
  regex: (setup) => (n) => ({
    method: "POST",
    path: "/v1/search/regex",
    body: { query: `number${(n * 37 + setup.mine) % 5_000}\\b`, limit: 10 },
  }),
} satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

export function requestsOf(kind: KindName, setup: ConnectionSetup): (n: number) => PlannedRequest {
  return KINDS[kind](setup);
}
