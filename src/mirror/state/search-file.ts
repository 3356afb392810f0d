/**
 * Name in `.mdmirror/`; a module of its own, because a check for its existence needs nothing else
 * of the search.
 */
export const SEARCH_FILE = "search.db";
