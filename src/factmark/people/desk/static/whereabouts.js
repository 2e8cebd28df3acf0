// Where in the source one is: its outline, the section and sentence at the top of what is seen, and
// how much of it was in view so far, which is kept in this browser.
import { make } from "./dom.js";
import { slice, visible } from "./text.js";
import { port } from "./view.js";

const part = (id) => document.getElementById(id);

export class Whereabouts {
  // `jump(element)` brings a heading to the top.
  constructor(store, jump) {
    this.store = store;
    this.headings = [];
    part("outline").addEventListener("change", () => {
      const heading = this.headings[part("outline").value];
      if (heading) jump(heading.element);
      part("outline").value = "";
    });
  }

  // A source that is shown: its headings as elements, its sentences as elements with their numbers.
  open(source, headings, spans) {
    this.id = source.id;
    this.spans = spans;
    this.headings = headings.map(({ element, start, end }) => ({ element, name: visible(slice(source.text, start, end)) }));
    const options = this.headings.map(({ name }, value) => make("option", { value, textContent: name }));
    part("outline").replaceChildren(make("option", { value: "", textContent: "Sections" }), ...options);
    part("outline").hidden = !options.length;
    const kept = this.store.get(`v/${this.id}`);
    this.seen = new Set(Array.isArray(kept) ? kept : []);
  }

  // Tells where one is; call it once the page has come to rest.
  look(scroller) {
    if (!this.spans?.length || !scroller.getClientRects().length) return;
    const { top, bottom } = port(scroller);
    const boxes = this.spans.map((span) => span.getBoundingClientRect());
    const before = this.seen.size;
    boxes.forEach((box, n) => box.bottom > top && box.bottom <= bottom + 1 && this.seen.add(n));
    if (this.seen.size > before) this.store.set(`v/${this.id}`, Array.from(this.seen));
    const first = Math.max(0, boxes.findIndex((box) => box.bottom > top));
    const section = this.headings.findLast(({ element }) => element.getBoundingClientRect().top <= boxes[first].bottom);
    const percent = Math.floor((100 * this.seen.size) / this.spans.length);
    const number = this.spans[first].dataset.number;
    const last = this.spans.findLast((span) => span.dataset.number)?.dataset.number;
    const sentence = number && `sentence ${number} of ${last}`;
    part("whereabouts").textContent = [section?.name, sentence, `${percent} % seen`].filter(Boolean).join(" · ");
  }
}

// Size and measure of the texts, as they were chosen in this browser.
export const dressTexts = (store) => {
  for (const name of ["size", "measure"]) {
    const select = part(`text-${name}`);
    const apply = () => {
      document.documentElement.dataset[name] = select.value;
    };
    select.value = store.get(`text-${name}`) ?? select.value;
    if (!select.value) select.selectedIndex = 1; // what was kept is no choice any more
    apply();
    select.addEventListener("change", () => {
      store.set(`text-${name}`, select.value);
      apply();
    });
  }
};
