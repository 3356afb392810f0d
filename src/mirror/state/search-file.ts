/**
 * In `.mdmirror/`; a module of its own, since whoever asks whether it is there needs nothing else
 * of the search.
 */
export const SEARCH_FILE = "search.db";
