const NEAR_END = 60;

export function isAtEnd(place) {
  return place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_END;
}

export function toEnd(place) {
  place.scrollTop = place.scrollHeight;
}

/** Whoever reads the end goes on doing so when the window or a phone's keyboard takes some of the height. */
export function stayAtEnd(place) {
  let wasAtEnd = true;
  place.addEventListener('scroll', () => {
    wasAtEnd = isAtEnd(place);
  });
  new ResizeObserver(() => wasAtEnd && toEnd(place)).observe(place);
}
