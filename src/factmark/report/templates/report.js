"use strict";
// Filters and sorts the answers that the page already holds. Without it all of them are shown.
(() => {
  const form = document.getElementById("filters");
  const list = document.getElementById("answer-list");
  const count = document.getElementById("count");
  const none = document.getElementById("none-shown");
  const cards = Array.from(list.children, (node, place) => ({
    node,
    place,
    score: Number(node.dataset.s),
    data: node.dataset,
    text: null,
  }));
  let order = "question";

  // The words of an answer are read from the page when they are first needed.
  const textOf = (card) => {
    if (card.text === null) {
      const parts = card.node.querySelectorAll("h3, .meta, .answer, .missing li");
      card.text = Array.from(parts, (part) => part.textContent).join("\n").toLowerCase();
    }
    return card.text;
  };

  const bound = (name, otherwise) => {
    const value = form.elements[name].valueAsNumber;
    return Number.isNaN(value) ? otherwise : value;
  };

  const wanted = () => {
    const chosen = ["category", "condition", "model"]
      .filter((name) => form.elements[name] && form.elements[name].value)
      .map((name) => [name, form.elements[name].value]);
    const flags = ["hallucinated", "missing"].filter((name) => form.elements[name].checked);
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const least = bound("least", -Infinity);
    const most = bound("most", Infinity);
    return (card) =>
      card.score >= least && card.score <= most &&
      chosen.every(([name, value]) => card.data[name] === value) &&
      flags.every((name) => name in card.data) &&
      words.every((word) => textOf(card).includes(word));
  };

  const sort = () => {
    if (form.elements.order.value === order) return;
    order = form.elements.order.value;
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
    count.textContent =
      shown === cards.length ? `${shown} answers` : `${shown} of ${cards.length} answers`;
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
