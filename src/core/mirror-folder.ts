/** The mirror's own folder, in the root. Nothing in it is ever mirrored. */
export const MIRROR_FOLDER = ".mdmirror";

/** In it, while a daemon keeps the folder: names the socket, so that whoever has another environment finds it too. */
export const CONTROL_FILE = "daemon.json";
