
// Live parts: an element with data-live is fetched from that address, every data-every seconds, and replaced while nobody is in it. One
// with data-after is fetched when the part of that name has changed.
const tags = new WeakMap();

function isUsed(part) {
	const selection = getSelection();
	return part.contains(document.activeElement) && isField(document.activeElement) || find(opened, part) ||
		!selection.isCollapsed && part.contains(selection.anchorNode);
}

async function refresh(part) {
	if (document.hidden || isUsed(part)) return true;
	const tag = tags.get(part) ?? part.dataset.tag;
	const headers = tag ? { "If-None-Match": tag } : {};
	let answer;
	try {
		answer = await fetch(part.dataset.live, { headers, cache: "no-store", redirect: "error" });
	} catch { // the server is away: the next turn asks again
		return true;
	}
	if (answer.status === 401 || answer.status === 404) return false;
	if (answer.status === 304) tags.set(part, answer.headers.get("ETag"));
	if (answer.status !== 200) return true;
	const text = await answer.text();
	if (isUsed(part)) return true;
	const open = findAll("details", part).map(details => details.open);
	const key = part.contains(document.activeElement) && document.activeElement.dataset.key;
	tags.set(part, answer.headers.get("ETag"));
	part.innerHTML = text;
	if (key) find(`[data-key="${CSS.escape(key)}"]`, part)?.focus();
	findAll("details", part).forEach((details, i) => { if (i < open.length) details.open = open[i]; });
	showTimes(part);
	if (part.dataset.part) findAll(`[data-after="${part.dataset.part}"]`).forEach(refresh);
	return true;
}

for (const part of findAll("[data-live]:not([data-after])")) {
	const every = 1000 * (part.dataset.every || 30);
	const turn = async () => { if (await refresh(part)) setTimeout(turn, every); };
	setTimeout(turn, every);
	document.addEventListener("visibilitychange", () => document.hidden || refresh(part));
}
