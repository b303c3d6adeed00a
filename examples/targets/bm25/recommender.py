"""A complete cell recommender in the standard library: BM25 over the words of code, behind a small HTTP API.

    python3 recommender.py --port 8765

    GET    /status                           {"snippets": 342}
    POST   /snippets  {"texts": [...]}       adds snippets, each once
    DELETE /snippets                         forgets all of them
    POST   /search    {"text", "limit"}      {"matches": [{"snippet": {"text"}, "bm25"}]}, best first
"""

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

K1, B = 1.2, 0.75
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def words_of(text):
    """read_csv and readCsv are both read and csv."""
    return [word.lower() for word in WORD.findall(text)]


class Index:
    def __init__(self):
        self.lock = Lock()
        self.clear()

    def clear(self):
        self.texts, self.known, self.lengths = [], set(), []
        self.postings = defaultdict(list)  # word -> [(place, count)]

    def add(self, text):
        if text in self.known:
            return
        words, place = words_of(text), len(self.texts)
        self.known.add(text)
        self.texts.append(text)
        self.lengths.append(len(words))
        for word, count in Counter(words).items():
            self.postings[word].append((place, count))

    def search(self, text, limit):
        """Ties go to the snippet that was added first."""
        scores = defaultdict(float)
        mean = sum(self.lengths) / max(1, len(self.lengths)) or 1
        for word in words_of(text):
            found = self.postings.get(word, [])
            rarity = math.log(1 + (len(self.texts) - len(found) + 0.5) / (len(found) + 0.5))
            for place, count in found:
                scores[place] += rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * self.lengths[place] / mean))
        best = sorted(scores, key=lambda place: (-scores[place], place))[:limit]
        return [{"snippet": {"text": self.texts[place]}, "bm25": scores[place]} for place in best]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise every answer waits for the client's acknowledgement of its headers
    index = Index()

    def do_GET(self):
        self.answer("/status", lambda _: {"snippets": len(self.index.texts)})

    def do_POST(self):
        if self.path == "/search":
            self.answer("/search", self.search)
        else:
            self.answer("/snippets", self.add)

    def do_DELETE(self):
        self.answer("/snippets", lambda _: self.index.clear() or {})

    def add(self, body):
        for text in body["texts"]:
            self.index.add(text)
        return {"snippets": len(self.index.texts)}

    def search(self, body):
        return {"matches": self.index.search(body["text"], body["limit"])}

    def answer(self, path, action):
        status, document = 404, {"error": f"there is no {self.command} {self.path}"}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == path:
            try:
                with self.index.lock:
                    status, document = 200, action(json.loads(body or "{}"))
            except (ValueError, KeyError, TypeError) as error:
                status, document = 400, {"error": f"{type(error).__name__}: {error}"}
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="BM25 over code snippets, as an HTTP service")
    parser.add_argument("--port", type=int, default=8765)
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler).serve_forever()
