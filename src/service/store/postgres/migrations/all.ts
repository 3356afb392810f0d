import { TABLES } from "./0001-tables.ts";
import { SEARCH } from "./0002-search.ts";
import { OUTBOX } from "./0003-outbox.ts";
import { OUTBOX_BY_WORKSPACE } from "./0004-outbox-by-workspace.ts";
import { SEARCH_BY_KEYS } from "./0005-search-by-keys.ts";

/** Migrations in order; the number of the last one is the schema of the database. */
export const MIGRATIONS: readonly string[] = [TABLES, SEARCH, OUTBOX, OUTBOX_BY_WORKSPACE, SEARCH_BY_KEYS];
