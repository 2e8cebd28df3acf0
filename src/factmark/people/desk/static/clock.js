// Seconds that somebody looked at a document: while the page is in view, and something was done on
// it within the last two minutes, since reading needs no keys. The time since the last change on a
// document goes to the unit that is changed next, so the sum over its units is the document's time.
// Beside that it counts how long each step of the work took on a source: reading it, rating, and
// looking over the ratings; these stay in the browser, for the annotator to see.

const IDLE = 120000;

export class Clock {
  constructor(store) {
    this.store = store;
    this.document = null;
    this.spent = 0;
    this.source = null;
    this.steps = []; // seconds of each
    this.units = {}; // key -> the seconds that it took so far
    this.step = 0;
    this.before = performance.now();
    this.active = this.before;
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchstart"]) {
      addEventListener(kind, () => this.stir(), { passive: true, capture: true });
    }
    setInterval(() => this.tick(), 1000);
  }

  stir() {
    this.tick();
    this.active = this.before;
  }

  tick() {
    const now = performance.now();
    const passed = now - this.before;
    this.before = now;
    // A timer that was late tells of a machine that slept.
    if (document.visibilityState !== "visible" || now - this.active > IDLE || passed > 5000) return;
    this.spent += passed / 1000;
    this.steps[this.step] = (this.steps[this.step] ?? 0) + passed / 1000;
  }

  open(number, source) {
    this.keep();
    this.document = number;
    this.source = source;
    this.spent = this.store.get(`t/${number}`) ?? 0;
    const steps = this.store.get(`w/${source}`);
    this.steps = Array.isArray(steps) ? steps : [];
    this.stir();
  }

  keep() {
    this.tick();
    if (this.document === null) return;
    this.store.set(`t/${this.document}`, Math.round(this.spent * 10) / 10);
    this.store.set(`w/${this.source}`, Array.from(this.steps, (seconds) => Math.round(seconds ?? 0)));
  }

  // The time since the last change, which now begins anew, goes to a unit.
  take(key) {
    this.tick();
    this.units[key] = Math.round(((this.units[key] ?? 0) + this.spent) * 10) / 10;
    this.spent = 0;
    this.keep();
    return this.units[key];
  }

  // What is known elsewhere of the time that units took; this page may know of more.
  learn(key, seconds = 0) {
    this.units[key] = Math.max(this.units[key] ?? 0, seconds);
  }
}
