// The one script of the pages: keys, copying, local times, live parts. Without it every page works too.
const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
const root = document.documentElement;

// Times: the text turns to the zone of the reader, and the title keeps UTC.
const zone = root.dataset.zone;
const makeFormat = options => {
	try { return new Intl.DateTimeFormat("en", { ...options, timeZone: zone }); } catch { return new Intl.DateTimeFormat("en", options); }
};
const inDay = makeFormat({ month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const inYear = makeFormat({ year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const inClock = makeFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function sayAge(minutes) {
	if (minutes < 1) return "<1 min";
	if (minutes < 60) return `${minutes} min`;
	if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
	return minutes < 86400 ? plural(Math.floor(minutes / 1440), "day") : plural(Math.floor(minutes / 43200), "month");
}

function sayLeft(minutes) {
	if (minutes < 60) return `${Math.max(0, minutes)} min`;
	if (minutes >= 48 * 60) return plural(Math.floor(minutes / 1440), "day");
	return `${Math.floor(minutes / 60)} h` + (minutes % 60 && minutes < 600 ? ` ${minutes % 60} min` : "");
}

function showTimes(within) {
	const now = Date.now();
	for (const time of findAll("time[data-left]", within)) time.textContent = sayLeft(Math.floor((new Date(time.dateTime) - now) / 60000));
	for (const time of findAll("time[datetime]", within)) {
		const at = new Date(time.dateTime);
		const local = (at.getFullYear() === new Date().getFullYear() ? inDay : inYear).format(at);
		if ("date" in time.dataset) {
			time.textContent = local;
		} else if ("clock" in time.dataset) {
			time.textContent = inClock.format(at);
		} else if ("ago" in time.dataset) {
			time.textContent = sayAge(Math.floor((now - at) / 60000));
			time.dataset.exact ??= time.title;
			time.title = `${local} · ${time.dataset.exact}`;
		}
	}
}
showTimes(document);
setInterval(() => document.hidden || showTimes(document), 30000);

// Copying: a button copies the text of its element, or what the address in data-copy answers.
const announcer = document.createElement("p");
announcer.className = "unseen";
announcer.setAttribute("role", "status");
document.body.append(announcer);
const announce = text => { announcer.textContent = text; };

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch { // the page did not come by https
		const area = document.createElement("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}

async function copyFrom(button) {
	const address = button.dataset.copy;
	let text = address ? "" : find("code", button.parentElement).textContent;
	if (address) {
		const answer = await fetch(address);
		if (!answer.ok) return announce("It could not be copied");
		text = await answer.text();
	}
	await copyText(text);
	announce("Copied");
	const before = button.textContent;
	button.textContent = "Copied";
	setTimeout(() => { button.textContent = before; }, 1500);
}

document.addEventListener("click", event => {
	const copier = event.target.closest("[data-copy]");
	if (copier) {
		event.preventDefault();
		copyFrom(copier);
	}
	const opener = event.target.closest("[data-opens]");
	if (opener) find(`[data-dialog="${opener.dataset.opens}"]`)?.showModal();
});

// A form that takes a while says so on its button.
document.addEventListener("submit", event => {
	const button = event.submitter;
	if (button && !event.defaultPrevented && event.target.method !== "dialog") setTimeout(() => button.setAttribute("aria-busy", "true"), 300);
});
addEventListener("pageshow", () => findAll("[aria-busy]").forEach(button => button.removeAttribute("aria-busy")));

// A select of the filters acts at once for a pointer. With the keyboard one moves through its options first, and sends the form.
let byPointer = false;
document.addEventListener("pointerdown", () => { byPointer = true; }, true);
document.addEventListener("keydown", () => { byPointer = false; }, true);
document.addEventListener("change", event => {
	const form = event.target.closest("form.filters");
	if (form && byPointer) form.requestSubmit();
});
