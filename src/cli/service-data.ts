/** The data folder of the embedded service where none is named, in the working folder. */
export const DEFAULT_DATA = ".mdmirror-service";
