// From a sentence of a unit to the places of the source that likely say it, one by one.

const part = (id) => document.getElementById(id);

export class Hints {
  // `say(words)` tells a screen reader; `reveal(element)` brings a sentence of a unit into view.
  constructor(source, say, reveal) {
    this.source = source;
    this.say = say;
    this.reveal = reveal;
    this.open([]);
  }

  open(units) {
    this.units = units;
    this.unit = 0;
    this.sentence = -1; // none was asked for yet
    this.step = 0;
    part("hint").hidden = !units.some((unit) => unit.statements.length && unit.hints.some((places) => places.length));
  }

  // Goes to the first likely place of a sentence, asked again to the next one.
  go(unit, sentence, again = true) {
    const places = this.units[unit].hints[sentence];
    const same = this.unit === unit && this.sentence === sentence;
    Object.assign(this, { unit, sentence, step: same && again ? this.step + 1 : 0 });
    this.units.forEach((one, n) =>
      one.statements.forEach((statement, m) => statement.classList.toggle("chosen", n === unit && m === sentence)),
    );
    if (!places.length) return this.say("No sentence of the source shares a word with this one.");
    const at = this.step % places.length;
    return this.source.jump(places[at], `Likely place ${at + 1} of ${places.length}`);
  }

  // The next place of the sentence that was asked for last, or of the first one.
  next(unit) {
    if (this.units[unit]?.statements.length) this.go(unit, this.unit === unit ? Math.max(this.sentence, 0) : 0);
  }

  // The next or the previous sentence, and its first place.
  turn(unit, by) {
    const count = this.units[unit]?.statements.length;
    if (!count) return;
    const from = this.unit === unit ? this.sentence : -1;
    const to = from < 0 && by < 0 ? count - 1 : (from + by + count) % count;
    const statement = this.units[unit].statements[to];
    this.reveal(statement);
    this.go(unit, to, false);
    this.say(`“${statement.textContent}” ${part("said").textContent}`);
  }
}
