// What of the page is in view. In the wide layout the source and the units scroll each by itself;
// in the other the page scrolls, with bars at its top and the ratings at its end.

import { part } from "./dom.js";

const WIDE = matchMedia("(min-width: 60rem) and (min-height: 32rem)"); // as in page.css
const LOW = matchMedia("(max-height: 31.99rem)");
export const wide = () => WIDE.matches;
export const low = () => LOW.matches;

// The part of the screen in which a scroller's content can be seen; `scrolled` on, once the bars at
// the top of the page have come to where they stay.
export const port = (scroller, scrolled = false) => {
  const view = window.visualViewport;
  const seen = {
    top: view?.offsetTop ?? 0,
    left: view?.offsetLeft ?? 0,
    bottom: (view?.offsetTop ?? 0) + (view?.height ?? innerHeight),
    right: (view?.offsetLeft ?? 0) + (view?.width ?? innerWidth),
  };
  if (wide()) {
    const box = scroller.getBoundingClientRect();
    seen.top = Math.max(seen.top, box.top);
    seen.bottom = Math.min(seen.bottom, box.bottom);
  } else {
    for (const bar of [part("parts"), part("tools")]) {
      const box = bar.getBoundingClientRect();
      const style = getComputedStyle(bar);
      if (!box.height || style.position !== "sticky") continue;
      seen.top = Math.max(seen.top, scrolled ? parseFloat(style.top) + box.height : box.bottom);
    }
    const strip = part("strip").getBoundingClientRect();
    if (strip.height) seen.bottom = Math.min(seen.bottom, strip.top);
  }
  return seen;
};

// How much of what could be seen of an element is seen, from 0 to 1.
export const share = (element, scroller) => {
  const box = element.getBoundingClientRect();
  const seen = port(scroller);
  if (!box.width || !box.height || seen.bottom <= seen.top || seen.right <= seen.left) return 0;
  const high = Math.min(box.bottom, seen.bottom) - Math.max(box.top, seen.top);
  const broad = Math.min(box.right, seen.right) - Math.max(box.left, seen.left);
  const most = Math.min(box.height, seen.bottom - seen.top) * Math.min(box.width, seen.right - seen.left);
  return (Math.max(0, high) * Math.max(0, broad)) / most;
};

export const scrollOf = (scroller) => (wide() ? scroller.scrollTop : scrollY);
export const scrollBack = (scroller, top) => (wide() ? scroller.scrollTo(0, top) : scrollTo(0, top));
const move = (scroller, by) => scrollBack(scroller, scrollOf(scroller) + by);

const EDGE = 6; // pixels

// Brings an element into view with as little motion as needs be; what is too long, from its top.
export const reveal = (element, scroller) => {
  const box = element.getBoundingClientRect();
  const seen = port(scroller, true);
  const fits = box.height <= seen.bottom - seen.top - 2 * EDGE;
  if (fits && box.bottom > seen.bottom - EDGE) move(scroller, box.bottom - seen.bottom + EDGE);
  else if (box.top < seen.top || !fits) move(scroller, box.top - seen.top - EDGE);
};

// Puts a place (a rectangle) in the upper third, unless it is in view already.
export const bring = (box, scroller) => {
  const seen = port(scroller, true);
  if (box.top >= port(scroller).top && box.bottom <= seen.bottom) return;
  move(scroller, box.top - seen.top - (seen.bottom - seen.top) * 0.3);
};

// Keys that scroll act on the part that has the focus; where that cannot scroll, as the ratings at
// the end of the wide layout, they scroll the given part.
export const scrollByKey = (key, scroller) => {
  const page = (scroller.clientHeight || innerHeight) * 0.875;
  const by = { ArrowUp: -40, ArrowDown: 40, PageUp: -page, PageDown: page, " ": page, Home: -1e7, End: 1e7 }[key];
  if (by) move(scroller, by);
  return Boolean(by);
};

// The unit at a place, and its text.
export const rootOf = (place) => part("units").querySelectorAll(".unit")[place];
export const textOf = (place) => rootOf(place).querySelector(".judged");
