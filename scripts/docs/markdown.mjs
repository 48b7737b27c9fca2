/**
 * Returns the references of a Markdown text: `links` (targets as written), `code` (contents of `inline code`), `commands`
 * (lines of fenced blocks), each as `{ text, line }`, and the `anchors` of its headings, in GitHub's form.
 */
export function readMarkdown(text) {
  const found = { links: [], code: [], commands: [], anchors: new Set() };
  let fence;
  text.split('\n').forEach((content, index) => {
    const line = index + 1;
    const marker = /^\s*(`{3,}|~{3,})/.exec(content)?.[1];
    if (marker !== undefined && (fence === undefined || (marker[0] === fence[0] && marker.length >= fence.length))) {
      fence = fence === undefined ? marker : undefined;
      return;
    }
    if (fence !== undefined) found.commands.push({ text: content.trim(), line });
    else readProse(content, line, found);
  });
  return found;
}

function readProse(content, line, found) {
  const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(content)?.[1];
  if (heading !== undefined) addAnchor(found.anchors, heading);
  for (const [, name] of content.matchAll(/\b(?:id|name)="([^"]+)"/g)) found.anchors.add(name);

  const prose = content.replace(/(`+)(.+?)\1/g, (_whole, _ticks, code) => {
    found.code.push({ text: code.trim(), line });
    return '';
  });
  const targets = [
    ...content.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)>?/g),
    ...prose.matchAll(/\b(?:src|href)="([^"]+)"/g),
  ];
  for (const [, target] of targets) found.links.push({ text: target, line });
}

function addAnchor(anchors, heading) {
  const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
  let name = slug;
  for (let n = 1; anchors.has(name); n += 1) name = `${slug}-${n}`;
  anchors.add(name);
}
