// Changes on their way to the server. Each is kept in this browser until the server has it, so that
// neither a lost connection nor a killed server, tab or browser loses one. A change has an id, by
// which the server takes it once, however often it is sent.

const PAUSE = [1000, 2000, 4000, 8000, 15000, 30000]; // before the next try
const MOST = 100; // changes in one request
const LEAVING = 60000; // bytes that a browser sends for a page that is being left
const CLOSED = "The campaign is closed; it takes no more answers.";
const KEPT = "Not taken: the campaign is closed. Your last change is kept in this browser only.";
const REOPENED = "The campaign is open again: what was kept in this browser ";

const weight = (text) => new Blob([text]).size; // bytes

// What a browser without storage, or with a full one, does not do.
const attempt = (act) => {
  try {
    return act();
  } catch {
    return undefined;
  }
};

// Keys of this campaign and annotator in localStorage; in memory where the browser has none.
export class Store {
  constructor(campaign, code) {
    this.prefix = `factmark/${campaign}/${code}/`;
    this.memory = new Map();
  }

  get fragile() {
    return Array.from(this.memory.keys()).some((name) => name.startsWith("r/"));
  }

  set(name, value) {
    const text = JSON.stringify(value);
    const kept = attempt(() => localStorage.setItem(this.prefix + name, text) ?? true);
    if (kept) this.memory.delete(name);
    else this.memory.set(name, text);
  }

  // null too where it was written by somebody else, or cut off by a crash.
  get(name) {
    const text = this.memory.get(name) ?? attempt(() => localStorage.getItem(this.prefix + name));
    return (text && attempt(() => JSON.parse(text))) ?? null;
  }

  remove(name) {
    this.memory.delete(name);
    attempt(() => localStorage.removeItem(this.prefix + name));
  }

  // Names that begin so.
  names(kind) {
    const kept = attempt(() => Object.keys(localStorage)) ?? [];
    const own = kept.filter((name) => name.startsWith(this.prefix)).map((name) => name.slice(this.prefix.length));
    return [...new Set([...this.memory.keys(), ...own])].filter((name) => name.startsWith(kind));
  }
}

// As crypto.randomUUID, which browsers have on loopback and by TLS only.
const uuid = () => {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)));
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};

export class Outbox {
  // `tell(state, words)` is called with each change of state; `refused()` when some was not taken;
  // `noted(reply)` with the answers as they are now, and what is to be seen beside them.
  constructor(store, tell, refused, noted) {
    this.store = store;
    this.tell = tell;
    this.refused = refused;
    this.noted = noted;
    this.settled = 0; // how often the server told what became of changes
    this.token = "";
    this.ahead = 0; // milliseconds that the server's clock is ahead
    this.last = 0;
    this.held = new Map(); // key -> id of a change that may still be replaced
    this.sending = false;
    this.fails = 0;
    this.closed = false;
    this.reopened = false; // and what was kept meanwhile is not sent yet
    this.most = MOST;
    this.timer = 0;
  }

  // What the server told along with the answers.
  know({ token, now, closed }) {
    this.token = token;
    this.ahead = Date.parse(now) - Date.now();
    if (closed) this.shut();
    else {
      this.closed = false;
      if (this.store.get("closed")) this.reopened = this.pending().length > 0;
      this.store.remove("closed");
    }
  }

  // What is kept is remembered as not taken, so that its sending can be told after a reload too.
  shut() {
    this.closed = true;
    this.reopened = false;
    this.store.set("closed", true);
    this.tell("closed", this.pending().length ? KEPT : CLOSED);
  }

  pending() {
    const names = this.store.names("r/");
    const found = names.map((name) => this.store.get(name)).filter((one, n) => names[n] === `r/${one?.id}`);
    return found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }

  // Keeps a change of some fields of an answer and sends it, after `hold` milliseconds in which a
  // further one takes its place. `base` is the revision that they were changed in; null: none.
  put(key, fields, base, seconds, hold = 0) {
    // What waits goes first, also if the server's clock has gone back since.
    const waiting = this.pending().map((one) => Date.parse(one.at) + 1);
    this.last = Math.max(Date.now() + this.ahead, this.last + 1, ...waiting);
    const at = new Date(this.last).toISOString();
    const before = this.held.has(key) ? this.store.get(`r/${this.held.get(key)}`) : null;
    const id = uuid();
    const from = before ? before.base : base; // what it replaces was never sent
    this.store.set(`r/${id}`, { id, key, base: from ?? null, answer: { ...before?.answer, ...fields }, seconds, at });
    if (before) this.store.remove(`r/${before.id}`);
    this.held.delete(key);
    if (hold) this.held.set(key, id);
    if (this.closed) this.tell("closed", KEPT);
    else if (this.reopened) this.tell("sending", `${REOPENED}is sent …`);
    else this.tell("sending", hold ? "Kept here; is saved in a moment" : "Saving …");
    this.later(hold);
    return { id, at };
  }

  // Changes of a unit that clash with what was changed elsewhere: field -> its value; or null.
  clash(key) {
    return this.store.get(`x/${key}`);
  }

  decided(key) {
    this.store.remove(`x/${key}`);
  }

  later(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  // Sends all that waits; what is put meanwhile goes next.
  async flush(leaving = false) {
    if ((this.sending && !leaving) || this.closed) return;
    let revisions = this.pending().slice(0, this.most);
    if (!revisions.length) return this.sentElsewhere();
    clearTimeout(this.timer);
    this.held.clear();
    this.sending = true;
    let body = JSON.stringify({ revisions });
    while (leaving && weight(body) > LEAVING && revisions.length > 1) {
      revisions = revisions.slice(0, revisions.length >> 1);
      body = JSON.stringify({ revisions });
    }
    let status = 0;
    let reply = {};
    try {
      const response = await fetch("save", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Factmark-Request": this.token },
        body,
        keepalive: weight(body) <= LEAVING,
        signal: AbortSignal.timeout(30000),
      });
      status = response.status;
      reply = (await response.json()) ?? {};
    } catch {
      // no reply, or none of ours
    }
    this.sending = false;
    this.heard(status, reply, revisions);
  }

  // Another tab of this browser may send what this one could not; then this one says so, and asks
  // for the answers as they are now.
  sentElsewhere() {
    if (!this.fails) return;
    this.fails = 0;
    this.tell("saved", "Saved");
    this.refused();
  }

  heard(status, reply, revisions) {
    // A proxy answers with statuses too; only the page's own server tells what became of a change.
    if (Array.isArray(reply.saved)) {
      this.settled += 1;
      const clashes = reply.elsewhere ?? [];
      for (const { key, fields } of clashes) this.store.set(`x/${key}`, { ...this.clash(key), ...fields });
      const known = [...reply.saved, ...clashes.map(({ id }) => id)];
      for (const { id, key } of revisions) {
        if (status === 200 && !known.includes(id)) continue;
        this.store.remove(`r/${id}`);
        if (this.held.get(key) === id) this.held.delete(key);
      }
      this.noted(reply);
      this.fails = 0;
      this.most = MOST;
      const left = this.pending().length;
      if (reply.refused.length) {
        this.tell("refused", `Not taken: ${reply.refused[0].reason}.`);
        this.refused();
      } else if (clashes.length) this.tell("elsewhere", "Changed elsewhere too: choose which counts.");
      else if (left) this.tell("sending", "Saving …");
      else {
        this.tell("saved", this.reopened ? `${REOPENED}is saved.` : "Saved");
        this.reopened = false;
      }
      if (left) this.later(this.held.size ? 1000 : 0); // what is held may have lost its timer
    } else if (status === 409) {
      this.shut();
      this.refused();
    } else if ((status === 400 || status === 413) && this.most > 1) {
      this.most = 1; // to find which one it is
      this.later(0);
    } else if ((status === 400 || status === 413) && reply.error) {
      this.store.remove(`r/${revisions[0].id}`);
      this.tell("refused", `Not taken: ${reply.error}`);
      this.refused();
      this.later(0);
    } else {
      const wait = PAUSE[Math.min(this.fails, PAUSE.length - 1)];
      this.fails += 1;
      const why = status === 403 ? " Your link may have been made anew: open the newest." : "";
      const safe = this.store.fragile ? " Leave this page open." : " Your answers are kept here.";
      this.tell("unsaved", `Not saved yet; will try again.${safe}${why}`);
      this.later(wait);
    }
  }
}
