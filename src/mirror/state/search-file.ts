/**
 * Name of the search index in `.mdmirror/`. In a separate module, because a check for the file
 * needs no other code of the search.
 */
export const SEARCH_FILE = "search.db";
