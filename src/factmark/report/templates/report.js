"use strict";
// Filters and sorts the cards that the page already holds. Without it all of them are shown.
(() => {
  const form = document.getElementById("filters");
  const list = document.getElementById("answer-list");
  const count = document.getElementById("count");
  const none = document.getElementById("none-shown");
  const cards = Array.from(list.children, (node, place) => ({
    node,
    place,
    score: Number(node.dataset.s),
    // Where a card has parts, they are what the choices are about.
    parts: Array.from(node.querySelectorAll(".part")),
    text: null,
  }));
  const all = Array.from(form.elements);
  const selects = all.filter((one) => one.tagName === "SELECT" && one.name !== "order");
  const boxes = all.filter((one) => one.type === "checkbox");
  const { one, many, text } = form.dataset;
  const sorting = form.elements.order;
  let order = sorting && sorting.value;

  // The words of a card are read from the page when they are first needed.
  const textOf = (card) => {
    if (card.text === null) {
      const parts = card.node.querySelectorAll(text);
      card.text = Array.from(parts, (part) => part.textContent).join("\n").toLowerCase();
    }
    return card.text;
  };

  const bound = (name, otherwise) => {
    const field = form.elements[name];
    return !field || Number.isNaN(field.valueAsNumber) ? otherwise : field.valueAsNumber;
  };

  const wanted = () => {
    const chosen = selects.filter((one) => one.value);
    const flags = boxes.filter((one) => one.checked);
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const least = bound("least", -Infinity);
    const most = bound("most", Infinity);
    const has = (given, value) => given === value || String(given).split("\n").includes(value);
    const fits = ({ dataset }) =>
      chosen.every(({ name, value }) => has(dataset[name], value)) &&
      flags.every(({ name }) => name in dataset);
    return (card) => {
      for (const part of card.parts) part.hidden = !fits(part);
      return (
        !(card.score < least || card.score > most) &&
        (card.parts.length ? card.parts.some((part) => !part.hidden) : fits(card.node)) &&
        words.every((word) => textOf(card).includes(word))
      );
    };
  };

  const sort = () => {
    if (!sorting || sorting.value === order) return;
    order = sorting.value;
    const sign = { question: 0, low: 1, high: -1 }[order];
    const sorted = [...cards].sort((a, b) => sign * (a.score - b.score) || a.place - b.place);
    list.append(...sorted.map((card) => card.node));
  };

  const apply = () => {
    const fits = wanted();
    let shown = 0;
    for (const card of cards) {
      const fit = fits(card);
      card.node.hidden = !fit;
      shown += fit;
    }
    sort();
    none.hidden = shown > 0 || cards.length === 0;
    const noun = cards.length === 1 ? one : many;
    count.textContent =
      shown === cards.length ? `${shown} ${noun}` : `${shown} of ${cards.length} ${noun}`;
  };

  let timer = 0;
  const later = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(apply, delay);
  };
  form.addEventListener("input", (event) => later(event.target.name === "words" ? 150 : 0));
  form.addEventListener("reset", () => later(0));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = cards.length < 2;
  apply();
})();
