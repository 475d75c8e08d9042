// Runs in the page, after it; the test reads the result from the DOM.
(() => {
  const shown = (element) => element.getClientRects().length > 0;
  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const page = rgb(getComputedStyle(document.body).backgroundColor);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3) return color;
    }
    return page;
  };

  const faint = [];
  for (const element of document.querySelectorAll("h1,h2,h3,p,li,th,td,dt,dd,small,summary,span,strong,code,svg text,svg tspan")) {
    if (!shown(element) || !element.textContent.trim()) continue;
    const style = getComputedStyle(element);
    const isSvg = element instanceof SVGElement;
    const found = contrast(rgb(isSvg ? style.fill : style.color), isSvg ? page : behind(element));
    if (found < 4.5) faint.push(`${found.toFixed(1)} ${element.textContent}`);
  }

  const overlapping = [], outside = [], small = [];
  let pictures = 0, texts = 0;
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    if (!shown(svg)) continue;
    pictures += 1;
    const frame = svg.getBoundingClientRect();
    const upright = [...svg.querySelectorAll("text")].filter((text) =>
      !/rotate\((?!0 )/.test(text.getAttribute("transform") || ""));
    const boxes = upright.map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts += boxes.length;
    boxes.forEach(([name, box], index) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) outside.push(name);
      if (box.height < 11) small.push(`${name} ${box.height}`);
      for (const [other, that] of boxes.slice(index + 1)) {
        const across = Math.min(box.right, that.right) - Math.max(box.left, that.left);
        // Boxes of lines hold room for accents: those may touch.
        const down = Math.min(box.bottom, that.bottom) - Math.max(box.top, that.top);
        if (across > 1 && down > 4) overlapping.push(`${name} | ${other}`);
      }
    });
  }

  const tables = [...document.querySelectorAll("table")];
  const folded = tables.filter((table) => !table.checkVisibility()).length;

  const result = {
    width: innerWidth,
    scroll_width: document.scrollingElement.scrollWidth,
    is_dark: matchMedia("(prefers-color-scheme: dark)").matches,
    page: luminance(page),
    ink: luminance(rgb(getComputedStyle(document.body).color)),
    resources: performance.getEntriesByType("resource").map((entry) => entry.name),
    folded, pictures, texts, faint, overlapping, outside, small,
  };
  const element = document.createElement("pre");
  element.id = "probe";
  element.textContent = JSON.stringify(result);
  document.body.append(element);
})();
