/**
 * Makes `place` hold `html` and touches only what differs: focus, scroll position, selected and typed text stay.
 * Elements with a data-key are the same ones wherever they stand among their siblings.
 */
export function morph(place, html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  alignChildren(place, template.content);
}

// Copies, because the lists of the document change under the loops.
function alignChildren(place, wanted) {
  const keys = new Set([...wanted.children].map(keyOf));
  for (const child of Array.from(place.children)) if (!keys.has(keyOf(child))) child.remove();
  let here = place.firstChild;
  for (const node of Array.from(wanted.childNodes)) {
    const same = matching(here, node);
    if (!same) {
      place.insertBefore(node, here);
      continue;
    }
    if (same === here) here = here.nextSibling;
    else place.insertBefore(same, here);
    align(same, node);
  }
  while (here) {
    const gone = here;
    here = here.nextSibling;
    gone.remove();
  }
}

function matching(here, node) {
  const key = keyOf(node);
  if (key === undefined) return here && alike(here, node) ? here : undefined;
  for (let other = here; other; other = other.nextSibling) if (keyOf(other) === key) return other;
  return undefined;
}

function alike(a, b) {
  return a.nodeName === b.nodeName && keyOf(a) === undefined && kindOf(a) === kindOf(b);
}

function align(element, wanted) {
  if (element.nodeType !== Node.ELEMENT_NODE) {
    if (element.nodeValue !== wanted.nodeValue) element.nodeValue = wanted.nodeValue;
    return;
  }
  for (const { name } of Array.from(element.attributes)) if (!wanted.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of wanted.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  alignChildren(element, wanted);
}

function keyOf(node) {
  return node.dataset?.key;
}

// Blocks have no lasting names: two of the same kind in the same place are the same one.
function kindOf(node) {
  return node.classList?.contains('block') ? node.className : '';
}
