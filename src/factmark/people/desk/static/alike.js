// Texts written alike, so that a search finds the same words however a file wrote them: as
// factmark/text/alike.py, with the place of each letter in the text as it stands.

const APOSTROPHE = /['`´‘’‚‛′ʹʻʼʽˈ]/u;
const QUOTE = /["“”„‟″«»〝〞]/u;
const HYPHEN = /[\p{Pd}−⁃˗]/u;
const BLANK = /[\s\u001c-\u001f\u0085]/u;
const IGNORED =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const WORD = /[\p{L}\p{N}]/u;

const sign = (letter) => {
  if (APOSTROPHE.test(letter)) return "'";
  if (QUOTE.test(letter)) return '"';
  if (HYPHEN.test(letter)) return "-";
  return BLANK.test(letter) ? " " : letter.toUpperCase().toLowerCase();
};

// One UTF-16 unit a letter, whatever it is: places in the string are places in the list.
const asString = (letters) => letters.map((one) => (one.length === 1 ? one : "\ufffc")).join("");
// A letter without its accents.
const bare = (letter) => {
  if (letter < "\u0080") return letter;
  const plain = letter.normalize("NFD").replace(/\p{M}/gu, "");
  return plain.length === letter.length ? plain : letter;
};

// The letters of a text alike: `letters` with the code points `starts` to `ends` that each stands
// for. Letters are put together with their accents; blanks at hyphens between words are left out.
export const fold = (text) => {
  const all = [];
  let at = 0;
  for (const [cluster] of text.matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
    const start = at;
    for (const _ of cluster) at += 1;
    const plain = cluster.replace(/[`´]/gu, "'").replaceAll("″", '"').replace(IGNORED, "").normalize("NFKC").replace(IGNORED, "");
    for (const one of plain) for (const letter of sign(one)) all.push({ letter, start, end: at });
  }
  const spaced = all.filter(({ letter }, n) => letter !== " " || all[n - 1]?.letter !== " ");
  const is = (n, letter) => spaced[n]?.letter === letter;
  const word = (n) => WORD.test(spaced[n]?.letter ?? "");
  const kept = spaced.filter((_, n) => {
    if (!is(n, " ")) return true;
    const before = is(n - 1, "-") && (word(n - 2) || (is(n - 2, " ") && word(n - 3))) && word(n + 1);
    const after = is(n + 1, "-") && word(n - 1) && (word(n + 2) || (is(n + 2, " ") && word(n + 3)));
    return !before && !after;
  });
  const letters = kept.map(({ letter }) => letter);
  return {
    letters,
    text: asString(letters),
    bare: asString(letters.map(bare)),
    starts: kept.map(({ start }) => start),
    ends: kept.map(({ end }) => end),
  };
};

const escaped = (letters) => letters.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");

// The pattern of words that are written about alike: with a hyphen, a blank or nothing for a hyphen,
// a hyphen for a blank or between letters, with other quotes or none, and without accents. Between
// figures a sign means something.
const about = (letters) => {
  const digit = (n) => /\p{N}/u.test(letters[n] ?? "");
  const letter = (n) => /\p{L}/u.test(letters[n] ?? "");
  const parts = letters.map((one, n) => {
    const figures = digit(n - 1) && digit(n + 1);
    if (one === "-" && !figures) return "[- ]?";
    if (one === " " && !figures) return "[- ]";
    if (one === "'" || one === '"') return "['\"]?";
    return escaped(bare(one)) + (letter(n) && letter(n + 1) ? "-?" : "");
  });
  return `(?<![\\p{L}\\p{N}])${parts.join("")}`;
};

const trimmed = (letters) => letters.slice(letters[0] === " " ? 1 : 0, letters.at(-1) === " " ? -1 : undefined);

// All places of words in a folded text, in order: {start, end} in code points, and whether the text
// has them only `about` so.
export const findAll = (folded, words) => {
  const wanted = trimmed(fold(words).letters);
  if (!wanted.length) return [];
  const hits = (where, pattern) =>
    Array.from(where.matchAll(new RegExp(pattern, "gu")), ({ index, 0: { length } }) => [index, index + length]);
  const same = ([at]) => wanted.every((one, n) => folded.letters[at + n] === one);
  const plain = asString(wanted);
  const exact = hits(folded.text, escaped(plain)).filter(same);
  const apart = ([from, to]) => !exact.some(([start, end]) => from < end && start < to);
  const other = hits(folded.bare, about(Array.from(plain))).filter(apart);
  const place = (isAbout) => ([from, to]) => ({ start: folded.starts[from], end: folded.ends[to - 1], about: isAbout });
  return [...exact.map(place(false)), ...other.filter(([from, to]) => from < to).map(place(true))].sort((a, b) => a.start - b.start);
};
