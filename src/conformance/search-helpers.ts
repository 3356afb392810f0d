import type { Problem } from "../contract/api/resources.ts";
import type { Json, CheckedReply, CaseSetup } from "./world.ts";

type SearchKind = "search" | "regex search";
export const SEARCH_KINDS: readonly SearchKind[] = ["search", "regex search"];
export const SEARCH_ROUTES = { search: "/v1/search/hybrid", "regex search": "/v1/search/regex" } as const;

/** Number of equal answers to the same search after which the search index counts as up to date. */
const EQUAL_ANSWERS_WANTED = 4;
const MAX_REPEATS = 200;

/**
 * Sends a search. If the service updates its index late, repeats the search until several answers
 * are equal.
 */
export async function searchUntilStable(
  setup: Pick<CaseSetup, "api" | "indexesLate">,
  kind: SearchKind,
  query: string,
  extra: object = {},
): Promise<CheckedReply> {
  const sendSearch = () => setup.api.post(SEARCH_ROUTES[kind], { query, ...extra });
  let reply = await sendSearch();
  if (!setup.indexesLate) return reply;
  for (
    let [same, requests] = [1, 1];
    reply.status === 200 && same < EQUAL_ANSWERS_WANTED && requests < MAX_REPEATS;
    requests++
  ) {
    const nextReply = await sendSearch();
    same = nextReply.text === reply.text ? same + 1 : 1;
    reply = nextReply;
  }
  return reply;
}

/** Expects that the service refuses a search because one field of the request is not valid. */
export async function expectRefused(
  { api }: CaseSetup,
  kind: SearchKind,
  query: string,
  pointer: string,
  extra: object = {},
): Promise<Problem> {
  return (await api.post(SEARCH_ROUTES[kind], { query, ...extra })).invalid(pointer);
}

export async function findItems(
  setup: CaseSetup,
  kind: SearchKind,
  query: string,
  extra: object = {},
): Promise<Json[]> {
  return (await searchUntilStable(setup, kind, query, { path_prefix: setup.folder.path, ...extra })).ok(200).data;
}

export async function findPaths(
  setup: CaseSetup,
  kind: SearchKind,
  query: string,
  extra: object = {},
): Promise<string[]> {
  const items = await findItems(setup, kind, query, extra);
  return items.map((item: Json) => (item.path as string).slice(setup.folder.path.length + 1));
}

export const createDocument = (setup: CaseSetup, name: string, content: string) =>
  setup.api.file(`${setup.folder.path}/${name}`, content);

/**
 * Returns the matches of one file in an answer, each without the fields that are equal for all
 * matches of the file.
 */
export const readMatchPlaces = ({ sources }: Json): Json[] =>
  sources.map(({ object: _, fileId: __, ...place }: Json) => place);

/**
 * Returns the parts of a text that its `ranges` mark. The text is a snippet or a line with a match.
 */
export const readMarkedParts = ({ text, ranges }: Json): string[] =>
  ranges.map(([start, end]: [number, number]) => [...text].slice(start, end).join(""));

export async function createDocuments(setup: CaseSetup, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await createDocument(setup, `many-${n}.md`, `zebra ${n}\n`);
}
