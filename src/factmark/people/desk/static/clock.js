// Seconds that somebody looked at a document: while the page is in view, and something was done on
// it within the last two minutes, since reading needs no keys. The time since the last change on a
// document goes to the unit that is changed next, so the sum over its units is the document's time.

const IDLE = 120000;

export class Clock {
  constructor(store) {
    this.store = store;
    this.document = null;
    this.spent = 0;
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
  }

  open(number) {
    this.keep();
    this.document = number;
    this.spent = this.store.get(`t/${number}`) ?? 0;
    this.stir();
  }

  keep() {
    this.tick();
    if (this.document !== null) this.store.set(`t/${this.document}`, Math.round(this.spent * 10) / 10);
  }

  // The time since the last change, which now begins anew.
  take() {
    this.tick();
    const spent = this.spent;
    this.spent = 0;
    this.keep();
    return spent;
  }
}
