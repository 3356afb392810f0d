/**
 * Name of the search index, in a module of its own: a check for the file needs no other code of the
 * search.
 */
export const SEARCH_FILE = "search.db";
