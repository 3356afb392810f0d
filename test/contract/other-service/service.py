"""A small service of the contract in another language, in memory: one workspace, one key, no search.

python3 service.py --key KEY [FAULT ...] prints its port, then the port of a service with each fault. A fault breaks one
rule of the contract.
"""

import argparse
import difflib
import hashlib
import hmac
import json
import re
import secrets
import string
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote_to_bytes

STATUS = {
    "unauthenticated": 401, "not_found": 404, "file_not_found": 404, "folder_not_found": 404, "invalid_request": 400,
    "invalid_id": 400, "invalid_base_change": 400, "invalid_cursor": 400, "path_already_exists": 409,
    "type_mismatch": 409, "folder_not_empty": 409, "changes_in_review": 409, "file_protected": 409,
    "content_too_large": 422,
}
MAX_CONTENT = 51_200
MAX_BODY = 1024 * 1024
MAX_PATH = {"file": (4_096, 128), "folder": (3_840, 127)}
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
WHITE = re.compile(r"[\s\u0085\u180e\u200b\u2060\ufeff]")
SHELL = re.compile(r"[|&;<>$`*?\[\]{}:\\/]")
SURROGATE = re.compile(r"[\ud800-\udfff]")


class Problem(Exception):
    def __init__(self, code, *errors):
        super().__init__(code)
        self.code = code
        self.errors = [{"code": field, "pointer": pointer, "detail": detail} for field, pointer, detail in errors]


def pointer_of(member):
    return "/" + member.replace("~", "~0").replace("/", "~1")


def invalid(*pointers, field="invalid_format"):
    return Problem("invalid_request", *((field, pointer, "This input is not valid.") for pointer in pointers))


def new_id(kind):
    return kind + "_" + "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(14))


def check_id(kind, text, pointer=None):
    if not re.fullmatch(kind + "_[a-z0-9]{14}", text):
        raise Problem("invalid_id", *([] if pointer is None else [("invalid_format", pointer, "This is no id.")]))
    return text


class Names:
    """The rules for names and paths."""

    def __init__(self, fault):
        self.fault = fault

    def problem(self, name, is_folder, pointer):
        bad = invalid(pointer, field="invalid_name")
        if name in ("", ".", "..") or SURROGATE.search(name) or CONTROL.search(name) or SHELL.search(name):
            return bad
        if len(name) > 255:
            return invalid(pointer, field="too_long")
        if WHITE.search(name) and self.fault != "spaces-allowed":
            return bad
        return bad if is_folder and name.startswith(".") else None

    def check_name(self, name, kind, pointer):
        problem = self.problem(name, kind == "folder", pointer)
        if problem is None and name.endswith(".md") == (kind == "folder"):
            problem = invalid(pointer, field="invalid_name")
        if problem is not None:
            raise problem

    def read_path(self, path, kind, pointer):
        """Returns the names of a path."""
        names = path.removeprefix("/").split("/")
        for at, name in enumerate(names):
            problem = self.problem(name, kind == "folder" or at < len(names) - 1, pointer)
            if problem is not None:
                raise problem
        if any(name.endswith(".md") for name in names[:-1]) or names[-1].endswith(".md") == (kind == "folder"):
            raise Problem("type_mismatch", ("invalid_name", pointer, "The path names the other kind."))
        if exceeds("/".join(names), kind):
            raise invalid(pointer, field="too_long")
        return names


def exceeds(path, kind):
    length, depth = MAX_PATH[kind]
    return len(path) > length or path.count("/") + 1 > depth


def hunks(base, other):
    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return [(a, b, other[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def combine(base, live, sent):
    """Merges by lines. Returns None if two changes touch."""
    if sent == live or live == base:
        return sent
    if sent == base:
        return live
    lines = base.splitlines(keepends=True)
    ours, theirs = hunks(lines, live.splitlines(keepends=True)), hunks(lines, sent.splitlines(keepends=True))
    if any(a <= d and c <= b for a, b, _ in ours for c, d, _ in theirs):
        return None
    for a, b, text in sorted(ours + theirs, reverse=True):
        lines[a:b] = text
    return "".join(lines)


class Workspace:
    def __init__(self, fault):
        self.fault = fault
        self.names = Names(fault)
        self.folders, self.files = {}, {}
        self.count = 0
        self.secret = secrets.token_bytes(16)

    def path_of(self, item):
        return self.path_of_parent(item).rstrip("/") + "/" + item["name"]

    def path_of_parent(self, item):
        return "/" if item["parentId"] is None else self.path_of(self.folders[item["parentId"]])

    def shown(self, item):
        common = {"object": item["object"], "id": item["id"], "path": self.path_of(item)}
        common |= {"parentId": item["parentId"], "parentPath": self.path_of_parent(item)}
        if item["object"] == "folder":
            return common | {"name": item["name"]}
        return common | {"protected": item["protected"], "lastChangeId": item["lastChangeId"]}

    def items(self, kind):
        return self.folders if kind == "folder" else self.files

    def find(self, kind, ident):
        if ident not in self.items(kind):
            raise Problem(kind + "_not_found")
        return self.items(kind)[ident]

    def child(self, kind, parent_id, name):
        children = (item for item in self.items(kind).values() if item["parentId"] == parent_id)
        return next((item for item in children if item["name"] == name), None)

    def is_below(self, item, folder_id):
        while item["parentId"] is not None and item["parentId"] != folder_id:
            item = self.folders[item["parentId"]]
        return item["parentId"] == folder_id

    def below(self, folder_id):
        return [item for item in [*self.folders.values(), *self.files.values()] if self.is_below(item, folder_id)]

    def add(self, kind, parent_id, name, more):
        self.count += 1
        ident = new_id("dir" if kind == "folder" else "doc")
        item = {"object": kind, "id": ident, "parentId": parent_id, "name": name, "seq": self.count} | more
        self.items(kind)[ident] = item
        return item

    def folder_at(self, names):
        """Returns the id of the folder, which it creates if it is missing."""
        parent_id = None
        for name in names:
            found = self.child("folder", parent_id, name) or self.add("folder", parent_id, name, {})
            parent_id = found["id"]
        return parent_id

    def find_at(self, kind, names):
        parent = None
        for name in names[:-1]:
            folder = self.child("folder", parent, name)
            if folder is None:
                return None
            parent = folder["id"]
        return self.child(kind, parent, names[-1])

    def members(self, body, shape):
        """Checks that the body has exactly the members of the shape, with these types."""
        unknown = [pointer_of(name) for name in body if name not in shape]
        if unknown:
            raise invalid(*unknown, field="unknown")
        wrong = [name for name, types in shape.items() if name not in body or not isinstance(body[name], types)]
        if wrong:
            raise invalid(*map(pointer_of, wrong), field="wrong_type")

    def place(self, kind, body, more):
        """Reads the place of a new item: by path, or by parent and name. Returns names or None."""
        known = {"path", "parentId", "name", *more}
        if "path" in body and ("name" in body or "parentId" in body) and set(body) <= known:
            raise invalid("/path", field="mutually_exclusive")
        if "path" in body:
            self.members(body, {"path": str} | more)
            return self.names.read_path(body["path"], kind, "/path")
        self.members(body, {"parentId": (str, type(None)), "name": str} | more)
        if body["parentId"] is not None:
            check_id("dir", body["parentId"], "/parentId")
        self.names.check_name(body["name"], kind, "/name")
        return None

    def check_content(self, content):
        if "\0" in content or SURROGATE.search(content):
            raise invalid("/content")
        if len(content) > MAX_CONTENT and self.fault != "length-unbounded":
            detail = f"It has {len(content)} characters; the limit is {MAX_CONTENT}."
            raise Problem("content_too_large", ("too_long", "/content", detail))

    def create(self, kind, body, more):
        names = self.place(kind, body, {"content": str} if kind == "file" else {})
        if kind == "file":
            self.check_content(body["content"])
        if names is None and body["parentId"] is not None:
            self.find("folder", body["parentId"])
        name = body["name"] if names is None else names[-1]
        found = self.child(kind, body["parentId"], name) if names is None else self.find_at(kind, names)
        if found is not None:
            if kind == "folder" and self.fault == "folder-merges":
                return 201, self.shown(found)
            raise Problem("path_already_exists")
        parent_id = body["parentId"] if names is None else self.folder_at(names[:-1])
        return 201, self.shown(self.add(kind, parent_id, name, more))

    def create_file(self, body):
        change = new_id("chg")
        content = {change: body.get("content")}
        return self.create("file", body, {"protected": False, "lastChangeId": change, "changes": content, "reviews": []})

    def patch(self, kind, ident, body):
        shape = {"name": str, "parentId": (str, type(None))} | ({"protected": bool} if kind == "file" else {})
        unknown = [pointer_of(name) for name in body if name not in shape]
        if unknown or not body:
            raise invalid(*unknown, field="unknown")
        if len(body) > 1:
            raise invalid(*(pointer_of(name) for name in shape if name in body), field="mutually_exclusive")
        [member] = body
        self.members(body, {member: shape[member]})
        if member == "name":
            self.names.check_name(body["name"], kind, "/name")
        if member == "parentId" and body["parentId"] is not None:
            check_id("dir", body["parentId"], "/parentId")
        item = self.find(kind, ident)
        if member == "protected":
            item["protected"] = body["protected"]
            return 200, self.shown(item)
        self.move(kind, item, body)
        return 200, self.shown(item)

    def move(self, kind, item, body):
        target = {"parentId": item["parentId"], "name": item["name"]} | body
        parent_id = target["parentId"]
        if parent_id is not None:
            parent = self.find("folder", parent_id)
            if kind == "folder" and (parent_id == item["id"] or self.is_below(parent, item["id"])):
                raise invalid("/parentId")
        found = self.child(kind, parent_id, target["name"])
        if found is not None and found is not item:
            raise Problem("path_already_exists")
        before = dict(item)
        item.update(target)
        moved = [item, *(self.below(item["id"]) if kind == "folder" else [])]
        if any(exceeds(self.path_of(each)[1:], each["object"]) for each in moved):
            item.update(before)
            raise invalid(pointer_of(next(iter(body))), field="too_long")

    def put(self, ident, body):
        self.members(body, {"baseChangeId": str, "content": str})
        check_id("chg", body["baseChangeId"], "/baseChangeId")
        self.check_content(body["content"])
        file = self.find("file", ident)
        if body["baseChangeId"] not in file["changes"]:
            raise Problem("invalid_base_change", ("invalid_format", "/baseChangeId", "It is not of this file."))
        base, live = file["changes"][body["baseChangeId"]], file["changes"][file["lastChangeId"]]
        if file["protected"] and self.fault != "protection-ignored":
            return self.review(file, body["content"], "protected")
        content = body["content"] if self.fault == "stale-edit-wins" else combine(base, live, body["content"])
        if content is None:
            return self.review(file, body["content"], "conflict")
        if content != live:
            file["lastChangeId"] = new_id("chg")
            file["changes"][file["lastChangeId"]] = content
        return 200, {"object": "edit", "file": self.shown(file), "content": content}

    def review(self, file, content, reason):
        change = new_id("chg")
        file["changes"][change] = content
        file["reviews"].append(change)
        answer = {"object": "change", "id": change, "status": "in_review", "reason": reason}
        return 202, answer | {"fileIds": [file["id"]]}

    def read(self, ident):
        file = self.find("file", ident)
        return 200, self.shown(file) | {"content": file["changes"][file["lastChangeId"]]}

    def delete_file(self, ident):
        file = self.find("file", ident)
        if file["protected"]:
            raise Problem("file_protected")
        if file["reviews"]:
            raise Problem("changes_in_review")
        del self.files[ident]
        return 204, None

    def delete_folder(self, ident, query):
        if query.get("recursive", "false") not in ("true", "false"):
            raise invalid("/recursive")
        folder = self.find("folder", ident)
        below = self.below(folder["id"])
        if below and query.get("recursive") != "true":
            raise Problem("folder_not_empty")
        if any(item.get("reviews") for item in below):
            raise Problem("changes_in_review")
        if any(item.get("protected") for item in below):
            raise Problem("file_protected")
        for item in [folder, *below]:
            del self.items(item["object"])[item["id"]]
        return 204, None

    def list(self, kind, query):
        limit = self.limit(query)
        given = [name for name in ("path", "path_prefix", "parent_id") if name in query]
        if len(given) > 1:
            raise invalid(*map(pointer_of, given), field="mutually_exclusive")
        if given == ["path"] and "cursor" in query:
            raise invalid("/cursor", field="mutually_exclusive")
        found = self.select(kind, given, query)
        selector = json.dumps([kind, *(query[name] for name in given), *given])
        start = self.read_cursor(query["cursor"], selector) if "cursor" in query else 0
        rest = [item for item in sorted(found, key=lambda item: item["seq"]) if item["seq"] > start]
        page, has_more = rest[:limit], len(rest) > limit
        last = page[-1]["seq"] - (1 if self.fault == "cursor-repeats" and len(page) > 1 else 0) if page else 0
        cursor = self.cursor(last, selector) if has_more else None
        data = [self.shown(item) for item in page]
        return 200, {"object": "list", "url": f"/v1/{kind}s", "data": data, "hasMore": has_more, "nextCursor": cursor}

    def select(self, kind, given, query):
        items = list(self.items(kind).values())
        if not given:
            return [item for item in items if kind == "file" or item["parentId"] is None]
        value = query[given[0]]
        if given == ["parent_id"]:
            check_id("dir", value, "/parent_id")
            if kind == "folder":
                self.find("folder", value)
            return [item for item in items if item["parentId"] == value]
        if given == ["path"]:
            found = self.find_at(kind, self.names.read_path(value, kind, "/path"))
            return [] if found is None else [found]
        if value == "/":
            return items
        folder = self.find_at("folder", self.names.read_path(value, "folder", "/path_prefix"))
        return [] if folder is None else [item for item in items if self.is_below(item, folder["id"])]

    def limit(self, query):
        text = query.get("limit", "100")
        if not re.fullmatch("0|-?[1-9][0-9]*", text):
            raise invalid("/limit", field="wrong_type")
        if not 1 <= int(text) <= 1_000:
            raise invalid("/limit", field="out_of_range")
        return int(text)

    def cursor(self, seq, selector):
        sign = hmac.new(self.secret, f"{seq} {selector}".encode(), hashlib.sha256).hexdigest()
        return f"{seq:010d}{sign[:20]}"

    def read_cursor(self, cursor, selector):
        if not re.fullmatch("[0-9]{10}[0-9a-f]{20}", cursor) or self.cursor(int(cursor[:10]), selector) != cursor:
            raise Problem("invalid_cursor")
        return int(cursor[:10])


LIST = ("limit", "cursor", "path", "path_prefix", "parent_id")
ID = "/([^/]+)"
ROUTES = (
    ("GET", "/v1/files", LIST, lambda w, _, query, body: w.list("file", query)),
    ("POST", "/v1/files", (), lambda w, _, query, body: w.create_file(body())),
    ("GET", "/v1/folders", LIST, lambda w, _, query, body: w.list("folder", query)),
    ("POST", "/v1/folders", (), lambda w, _, query, body: w.create("folder", body(), {})),
    ("GET", "/v1/files" + ID, (), lambda w, ident, query, body: w.read(ident)),
    ("PATCH", "/v1/files" + ID, (), lambda w, ident, query, body: w.patch("file", ident, body())),
    ("DELETE", "/v1/files" + ID, (), lambda w, ident, query, body: w.delete_file(ident)),
    ("PUT", "/v1/files" + ID + "/content", (), lambda w, ident, query, body: w.put(ident, body())),
    ("GET", "/v1/folders" + ID, (), lambda w, ident, query, body: (200, w.shown(w.find("folder", ident)))),
    ("PATCH", "/v1/folders" + ID, (), lambda w, ident, query, body: w.patch("folder", ident, body())),
    ("DELETE", "/v1/folders" + ID, ("recursive",), lambda w, ident, query, body: w.delete_folder(ident, query)),
)


def read_query(text, known):
    """Returns the parameters. A value that is no text is read as NUL, which no parameter takes."""
    query, unknown, repeated = {}, [], []
    for part in filter(None, text.split("&")):
        name, _, value = (decoded(each) for each in part.replace("+", " ").partition("="))
        if name not in known:
            unknown.append(name)
        elif name in query:
            repeated.append(name)
        query[name] = value
    if unknown or repeated:
        raise invalid(*map(pointer_of, dict.fromkeys(unknown or repeated)), field="unknown")
    return query


def decoded(text):
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        return "\0"


def read_body(sent):
    try:
        body = json.loads(sent.decode("utf-8")) if len(sent) <= MAX_BODY else None
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise invalid()
    return body


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    lock = threading.Lock()

    def answer(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request_id = "req_" + secrets.token_hex(8)
        try:
            with self.lock:
                status, body = self.handle_request(sent)
            kind = "application/json"
        except Problem as problem:
            status, kind = STATUS[problem.code], "application/problem+json"
            url = "https://docs.example.org/errors/" + problem.code.replace("_", "-")
            body = {"type": url, "title": problem.code, "status": status, "code": problem.code}
            body |= {"detail": "See the title.", "requestId": request_id}
            body |= {"errors": problem.errors} if problem.errors else {}
        self.reply(status, kind, b"" if body is None else json.dumps(body).encode(), request_id)

    def reply(self, status, kind, body, request_id):
        self.send_response(status)
        if self.server.fault != "no-request-id":
            self.send_header("X-Request-Id", request_id)
        self.send_header("Cache-Control", "no-store")
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self._headers_buffer.append(b"\r\n" + body)
        self.flush_headers()

    def handle_request(self, sent):
        authorization = self.headers.get("Authorization")
        key = authorization.removeprefix("Bearer ") if authorization else self.headers.get("X-API-Key")
        if key != self.server.key and not (key and self.server.fault == "any-key"):
            raise Problem("unauthenticated")
        path, _, query = self.path.partition("?")
        for method, pattern, known, run in ROUTES:
            found = re.fullmatch(pattern, path)
            if found is None or method != self.command:
                continue
            ident = found[1] if found.groups() else None
            if ident is not None:
                check_id("dir" if "folders" in pattern else "doc", ident)
            return run(self.server.workspace, ident, read_query(query, known), lambda: read_body(sent))
        raise Problem("not_found")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer
    log_message = staticmethod(lambda *_: None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key", required=True)
    parser.add_argument("faults", nargs="*")
    options = parser.parse_args()
    for fault in [None, *options.faults]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.key, server.fault, server.workspace = options.key, fault, Workspace(fault)
        print(server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever).start()


if __name__ == "__main__":
    main()
